// SPDX-License-Identifier: GPL-2.0-or-later
//! What one instruction does, as far as counting is concerned.

use crate::event::Event;
use crate::list::List;
use crate::register::SystemRegister;

/// The memory accesses of an instruction: none, one, or two where it reads and
/// writes at different addresses (memory copies).
pub type Accesses = List<Access, 2>;

/// The events each execution of an instruction causes, apart from
/// [`Event::Instructions`], which all cause, and the checked accesses, which
/// depend on the state of the machine.
pub type Causes = CauseList;

/// The list behind [`Causes`]; iterates by value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CauseList(List<Event, 3>);

impl CauseList {
    /// The events in order.
    pub fn iter(&self) -> impl Iterator<Item = Event> + '_ {
        self.0.iter().copied()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A decoded instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The instruction word.
    pub word: u32,
    /// Data accesses. Accesses to allocation tags alone (LDG, STG) are not
    /// here, nor are those that cannot fault or be counted (PRFM).
    pub accesses: Accesses,
    /// What each execution counts.
    pub causes: Causes,
    /// What it changes that later counting depends on.
    pub control: Control,
}

impl Instruction {
    /// An instruction that does nothing of interest.
    pub(crate) const fn plain(word: u32) -> Self {
        Self { word, accesses: List::new(), causes: CauseList(List::new()), control: Control::None }
    }

    /// Adds an access and the events that count it.
    pub(crate) fn accessing(mut self, access: Access) -> Self {
        if access.reads {
            self.causes.0.push(Event::MemAccessRd);
        }
        if access.writes {
            self.causes.0.push(Event::MemAccessWr);
        }
        self.accesses.push(access);
        self
    }

    /// Adds an event.
    pub(crate) fn causing(mut self, event: Event) -> Self {
        self.causes.0.push(event);
        self
    }

    /// Sets what it changes.
    pub(crate) const fn controlling(mut self, control: Control) -> Self {
        self.control = control;
        self
    }
}

/// One access to memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Whether it reads.
    pub reads: bool,
    /// Whether it writes.
    pub writes: bool,
    /// Where.
    pub address: Address,
    /// Bytes in all registers together (16 for LDP of two X registers). 0 where
    /// the instruction word does not say: vectors of scalable length, memory
    /// copy and set, DC ZVA.
    pub size: u32,
    /// With whose permissions.
    pub privilege: Privilege,
    /// Whether the form of the instruction lets the access be tag-checked.
    pub tag_check: TagCheck,
}

impl Access {
    /// An eligible access that neither reads nor writes yet.
    const fn at(address: Address, size: u32) -> Self {
        Self {
            reads: false,
            writes: false,
            address,
            size,
            privilege: Privilege::Current,
            tag_check: TagCheck::Eligible,
        }
    }

    /// A read.
    pub(crate) const fn read(address: Address, size: u32) -> Self {
        Self { reads: true, ..Self::at(address, size) }
    }

    /// A write.
    pub(crate) const fn write(address: Address, size: u32) -> Self {
        Self { writes: true, ..Self::at(address, size) }
    }

    /// A read and a write of the same place.
    pub(crate) const fn read_write(address: Address, size: u32) -> Self {
        Self { reads: true, writes: true, ..Self::at(address, size) }
    }

    /// A read if `load`, else a write.
    pub(crate) const fn load_or_store(load: bool, address: Address, size: u32) -> Self {
        Self { reads: load, writes: !load, ..Self::at(address, size) }
    }

    /// Never tag-checked, for a reason.
    pub(crate) const fn exempt(mut self, reason: Exemption) -> Self {
        self.tag_check = TagCheck::Exempt(reason);
        self
    }

    /// Exempt if the base is SP: the rule of forms with an immediate offset or
    /// none and without writeback. Calls that do not fit it say so.
    pub(crate) const fn exempt_from_sp(self) -> Self {
        match self.address.base {
            Base::Sp => self.exempt(Exemption::SpImmediate),
            _ => self,
        }
    }

    /// With the permissions of EL0.
    pub(crate) const fn unprivileged(mut self) -> Self {
        self.privilege = Privilege::Unprivileged;
        self
    }
}

/// The address an access is made to. For a post-indexed form that is the base
/// alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// What the offset is added to.
    pub base: Base,
    /// What is added.
    pub offset: Offset,
}

impl Address {
    /// The base alone.
    pub(crate) const fn of(base: Base) -> Self {
        Self { base, offset: Offset::None }
    }

    /// The base and an immediate number of bytes.
    pub(crate) const fn plus(base: Base, bytes: i64) -> Self {
        Self { base, offset: Offset::Immediate(bytes) }
    }
}

/// A base register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// X0 to X30.
    X(u8),
    /// The stack pointer.
    Sp,
    /// The address of the instruction.
    Pc,
    /// XZR, that is, address 0 (DC ZVA, XZR), or no general-purpose register at
    /// all ([`Exemption::VectorAddress`]).
    Zero,
}

impl Base {
    /// Register number 31 stands for SP.
    pub(crate) const fn or_sp(number: u8) -> Self {
        match number {
            31 => Self::Sp,
            number => Self::X(number),
        }
    }

    /// Register number 31 stands for XZR.
    pub(crate) const fn or_zero(number: u8) -> Self {
        match number {
            31 => Self::Zero,
            number => Self::X(number),
        }
    }
}

/// An offset from the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offset {
    /// Nothing is added; for SVE gathers, nothing that is known here.
    None,
    /// Bytes.
    Immediate(i64),
    /// A register, extended, then shifted left.
    Register {
        /// Number of the register; 31 is XZR.
        index: u8,
        /// How it is extended.
        extend: Extend,
        /// Left shift in bits.
        shift: u8,
    },
}

/// How an offset register is widened to 64 bits (Arm ARM, `ExtendReg`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extend {
    /// The low 32 bits, zero-extended.
    Uxtw,
    /// All 64 bits (LSL in assembler).
    Uxtx,
    /// The low 32 bits, sign-extended.
    Sxtw,
    /// All 64 bits.
    Sxtx,
}

impl Extend {
    /// The extended value.
    pub const fn apply(self, value: u64) -> u64 {
        match self {
            Self::Uxtw => value & 0xffff_ffff,
            Self::Sxtw => i64::cast_unsigned(value.cast_signed() << 32 >> 32),
            Self::Uxtx | Self::Sxtx => value,
        }
    }
}

/// Whose permissions an access is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privilege {
    /// Those of the current exception level.
    Current,
    /// Those of EL0 (LDTR, STTR and their kind), which also makes
    /// `SCTLR_EL1.ATA0` decide. `PSTATE.UAO` would undo this; Linux has not set
    /// it since 5.10, and it is taken as 0.
    Unprivileged,
}

/// Whether the form of an instruction lets its access be tag-checked (Arm ARM,
/// "Tag Unchecked accesses"; `tagchecked` in the pseudocode).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagCheck {
    /// The machine's state decides: [`crate::is_checked`].
    Eligible,
    /// Never checked.
    Exempt(Exemption),
}

/// Why an access is never tag-checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exemption {
    /// SP with an immediate offset or none, and no writeback.
    SpImmediate,
    /// Relative to the PC.
    Literal,
    /// The instruction stores allocation tags.
    TagInstruction,
    /// The addresses are in a vector register. The architecture does check
    /// these; this crate cannot see them, so they are not counted as checked.
    VectorAddress,
}

/// What an instruction changes that later counting depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Nothing.
    None,
    /// `PSTATE.TCO`.
    WritesTco(TcoSource),
    /// A system register other than TCO, from general-purpose register number
    /// (31 is XZR).
    WritesSystemRegister(SystemRegister, u8),
    /// The exception level and PSTATE, by ERET, ERETAA or ERETAB.
    ExceptionReturn,
    /// Translations that may be cached.
    Tlbi,
    /// A mark of the measured program.
    Mark(MarkKind),
    /// Nothing, but it may end in an exception although neither accesses nor
    /// causes show it: HVC, SMC, BRK, HLT, MSR (immediate), WFI, cache
    /// maintenance and other system instructions.
    MayTrap,
}

/// Where a new value of `PSTATE.TCO` comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TcoSource {
    /// The instruction.
    Immediate(bool),
    /// Bit 25 of a general-purpose register (31 is XZR).
    Register(u8),
}

/// A mark: `movz xzr, #0x4752` with a shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// `lsl #0`: a region begins.
    Open,
    /// `lsl #16`: it ends.
    Close,
    /// `lsl #32`: one iteration of it ends.
    Iteration,
}
