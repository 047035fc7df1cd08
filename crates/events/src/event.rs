// SPDX-License-Identifier: GPL-2.0-or-later
//! The events that are counted, and their names.

use crate::barrier::Barrier;
use crate::check::AddressRange;
use crate::exception::ExceptionKind;
use crate::register::SystemRegister;
use crate::tlbi::TlbiOp;

/// One thing that is counted. `docs/how-counting-works.md` defines each;
/// `catalog.toml` describes them to users.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Event {
    /// An instruction executed.
    Instructions,
    /// An instruction that reads memory.
    MemAccessRd,
    /// An instruction that writes memory.
    MemAccessWr,
    /// A read that is compared with an allocation tag, by the range of its address.
    MemAccessCheckedRd(AddressRange),
    /// A write that is compared with an allocation tag, by the range of its address.
    MemAccessCheckedWr(AddressRange),
    /// An instruction that loads allocation tags.
    TagLd,
    /// An instruction that stores allocation tags.
    TagSt,
    /// A TLB invalidation.
    Tlbi(TlbiOp),
    /// A data synchronization barrier.
    Dsb(Barrier),
    /// A data memory barrier.
    Dmb(Barrier),
    /// An instruction synchronization barrier.
    Isb,
    /// A read of a system register.
    Mrs(SystemRegister),
    /// A write of a system register or of a PSTATE field.
    Msr(SystemRegister),
    /// An atomic or exclusive access.
    Atomic(AtomicKind),
    /// A supervisor call instruction.
    Svc,
    /// An exception taken.
    Exception(ExceptionKind),
    /// An exception return.
    Eret,
}

impl Event {
    /// The name of the event in counts and on the command line.
    pub fn name(&self) -> String {
        match self {
            Self::MemAccessCheckedRd(range) => format!("mem_access_checked_rd.{}", range.name()),
            Self::MemAccessCheckedWr(range) => format!("mem_access_checked_wr.{}", range.name()),
            Self::Tlbi(op) => format!("tlbi.{}", op.name()),
            Self::Dsb(barrier) => format!("dsb.{}", barrier.dsb_name()),
            Self::Dmb(barrier) => format!("dmb.{}", barrier.dmb_name()),
            Self::Mrs(register) => format!("mrs.{}", register.name()),
            Self::Msr(register) => format!("msr.{}", register.name()),
            Self::Atomic(kind) => format!("atomics.{}", kind.name()),
            Self::Exception(kind) => format!("exceptions.{}", kind.name()),
            _ => self.plain_name().to_owned(),
        }
    }

    /// The name of an event that is not one of a family.
    const fn plain_name(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::MemAccessRd => "mem_access_rd",
            Self::MemAccessWr => "mem_access_wr",
            Self::TagLd => "tag_ld",
            Self::TagSt => "tag_st",
            Self::Isb => "isb",
            Self::Svc => "svc",
            Self::Eret => "eret",
            _ => "",
        }
    }
}

/// A kind of atomic instruction (Arm ARM, "Atomic instructions" and
/// "Load-Exclusive and Store-Exclusive").
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum AtomicKind {
    /// Compare and swap: CAS.
    Cas,
    /// Compare and swap of a pair: CASP.
    Casp,
    /// Swap: SWP, and SWPP of a pair.
    Swp,
    /// Load, operate, store: `LD<op>`.
    LdOp,
    /// Operate without a result: `ST<op>`, that is, `LD<op>` into XZR without
    /// acquire.
    StOp,
    /// LDXR, LDAXR, LDXP, LDAXP.
    LoadExclusive,
    /// STXR, STLXR, STXP, STLXP, whether or not they store.
    StoreExclusive,
}

impl AtomicKind {
    /// Every kind.
    pub const ALL: [Self; 7] = [
        Self::Cas,
        Self::Casp,
        Self::Swp,
        Self::LdOp,
        Self::StOp,
        Self::LoadExclusive,
        Self::StoreExclusive,
    ];

    /// The last part of the event's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cas => "cas",
            Self::Casp => "casp",
            Self::Swp => "swp",
            Self::LdOp => "ld_op",
            Self::StOp => "st_op",
            Self::LoadExclusive => "load_exclusive",
            Self::StoreExclusive => "store_exclusive",
        }
    }
}
