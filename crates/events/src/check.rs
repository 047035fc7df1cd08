// SPDX-License-Identifier: GPL-2.0-or-later
//! Which accesses are tag-checked.

use crate::instruction::{Access, Privilege, TagCheck};

/// Exception level of an access. Kernels under test run at EL1 and programs at
/// EL0; virtualization and firmware are not covered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ExceptionLevel {
    /// Programs.
    El0,
    /// The kernel.
    El1,
}

/// Type of the memory at an address, as far as tags go.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemoryType {
    /// Has allocation tags: attribute 0xF0 in `MAIR_EL1`.
    NormalTagged,
    /// Has none.
    Other,
}

/// One of the two ranges of virtual addresses, named after the register that
/// points to its translation tables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum AddressRange {
    /// The lower range: TTBR0, TBI0, TCMA0. The pointers of programs.
    Ttbr0,
    /// The upper range: TTBR1, TBI1, TCMA1. The kernel's own pointers.
    Ttbr1,
}

impl AddressRange {
    /// Both ranges; `range as usize` is the index of each.
    pub const ALL: [Self; 2] = [Self::Ttbr0, Self::Ttbr1];

    /// The range an address is in, which bit 55 says whatever its tag.
    pub const fn of(address: u64) -> Self {
        if is_upper(address) {
            Self::Ttbr1
        } else {
            Self::Ttbr0
        }
    }

    /// The last part of an event's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ttbr0 => "ttbr0",
            Self::Ttbr1 => "ttbr1",
        }
    }
}

/// The system registers that decide about tag checks and translation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Controls {
    /// `SCTLR_EL1`.
    pub sctlr: u64,
    /// `TCR_EL1`.
    pub tcr: u64,
    /// `MAIR_EL1`.
    pub mair: u64,
    /// `TTBR0_EL1`.
    pub ttbr0: u64,
    /// `TTBR1_EL1`.
    pub ttbr1: u64,
}

impl Controls {
    const SCTLR_ATA0: u64 = 1 << 42;
    const SCTLR_ATA: u64 = 1 << 43;
    const TCR_TBI0: u32 = 37;
    const TCR_TCMA0: u32 = 57;

    /// `TCR_EL1.TBI0` or `TBI1`. TBID narrows them for instruction fetches only.
    pub(crate) const fn top_byte_ignored(&self, upper: bool) -> bool {
        self.tcr >> (Self::TCR_TBI0 + upper as u32) & 1 == 1
    }

    /// `TCR_EL1.TCMA0` or `TCMA1`.
    const fn canonical_unchecked(&self, upper: bool) -> bool {
        self.tcr >> (Self::TCR_TCMA0 + upper as u32) & 1 == 1
    }
}

/// Bit 55 of an address chooses between the lower range (TTBR0, TBI0, TCMA0) and
/// the upper.
pub(crate) const fn is_upper(address: u64) -> bool {
    address >> 55 & 1 == 1
}

/// Whether accesses with the permissions of `el` can reach allocation tags:
/// `SCTLR_EL1.ATA0` for EL0, `ATA` for EL1 (Arm ARM,
/// `AArch64.AllocationTagAccessIsEnabled`). Where it is false nothing is
/// checked. EL2 and EL3 are taken as absent or as granting access.
pub const fn allocation_tag_access(controls: &Controls, el: ExceptionLevel) -> bool {
    let bit = match el {
        ExceptionLevel::El0 => Controls::SCTLR_ATA0,
        ExceptionLevel::El1 => Controls::SCTLR_ATA,
    };
    controls.sctlr & bit != 0
}

/// Whether an access is a Tag Checked access: one that compares the tag in its
/// address with the allocation tag in memory (Arm ARM, "Tag checking";
/// `AArch64.AccessIsTagChecked`).
///
/// `address` is the address accessed with its top byte, `el` the current
/// exception level, `tco` is `PSTATE.TCO`. `memory` is asked last, and only if
/// all else allows a check; `None` from it means that the address is not mapped,
/// so nothing is compared.
///
/// `SCTLR_EL1.TCF` and `TCF0`, which say what a mismatch does, play no part.
#[inline]
pub fn is_checked(
    address: u64,
    access: &Access,
    el: ExceptionLevel,
    tco: bool,
    controls: &Controls,
    memory: impl FnOnce() -> Option<MemoryType>,
) -> bool {
    let upper = is_upper(address);
    !tco && access.tag_check == TagCheck::Eligible
        && allocation_tag_access(controls, permissions(access, el))
        && controls.top_byte_ignored(upper)
        && !(controls.canonical_unchecked(upper) && has_canonical_tag(address))
        && memory() == Some(MemoryType::NormalTagged)
}

/// The exception level whose permissions an access has.
const fn permissions(access: &Access, el: ExceptionLevel) -> ExceptionLevel {
    match access.privilege {
        Privilege::Current => el,
        Privilege::Unprivileged => ExceptionLevel::El0,
    }
}

/// Whether bits 59 to 55 are all equal: the tag of an address that was never
/// tagged, 0 in the lower range and 15 in the upper.
const fn has_canonical_tag(address: u64) -> bool {
    matches!(address >> 55 & 0x1f, 0 | 0x1f)
}
