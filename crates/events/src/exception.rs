// SPDX-License-Identifier: GPL-2.0-or-later
//! Exceptions taken to EL1.

/// Why an exception was taken, from the vector and `ESR_EL1` (Arm ARM, "`ESR_EL1`,
/// Exception Syndrome Register (EL1)", field EC).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ExceptionKind {
    /// SVC.
    Svc,
    /// HVC.
    Hvc,
    /// SMC.
    Smc,
    /// Data abort other than a tag check fault.
    DataAbort,
    /// Instruction abort.
    InstructionAbort,
    /// Data abort because the tags differ (synchronous).
    TagCheckFault,
    /// Use of SIMD and floating-point registers that is trapped.
    Fp,
    /// Use of SVE that is trapped.
    Sve,
    /// Use of SME that is trapped.
    Sme,
    /// A trapped floating-point exception.
    FpException,
    /// MSR, MRS or system instruction that is trapped.
    SystemRegisterTrap,
    /// WFI, WFE and their kind that are trapped.
    WaitTrap,
    /// An undefined instruction.
    Undefined,
    /// BRK.
    Brk,
    /// Hardware breakpoint.
    Breakpoint,
    /// Watchpoint.
    Watchpoint,
    /// Software step.
    SoftwareStep,
    /// Misaligned PC.
    PcAlignment,
    /// Misaligned SP.
    SpAlignment,
    /// An illegal exception return had been made.
    IllegalState,
    /// A branch to where none may lead.
    Bti,
    /// A pointer whose authentication failed, or pointer authentication that is
    /// trapped.
    Pac,
    /// A memory copy or set that continues on a different kind of PE.
    MemoryCopySet,
    /// Interrupt.
    Irq,
    /// Fast interrupt.
    Fiq,
    /// System error.
    SError,
    /// Any other synchronous exception.
    OtherSync,
}

/// How far the instruction at the preferred return address (ELR) came.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Progress {
    /// Nothing is left undone: the exception is the completed effect of an
    /// instruction (SVC, BRK), or came between two.
    Completed,
    /// It started and did not complete; it is executed again on return.
    Started,
    /// It did not start: it could not be fetched, or was not to be executed.
    NotStarted,
}

impl ExceptionKind {
    /// Every kind.
    pub const ALL: [Self; 27] = [
        Self::Svc,
        Self::Hvc,
        Self::Smc,
        Self::DataAbort,
        Self::InstructionAbort,
        Self::TagCheckFault,
        Self::Fp,
        Self::Sve,
        Self::Sme,
        Self::FpException,
        Self::SystemRegisterTrap,
        Self::WaitTrap,
        Self::Undefined,
        Self::Brk,
        Self::Breakpoint,
        Self::Watchpoint,
        Self::SoftwareStep,
        Self::PcAlignment,
        Self::SpAlignment,
        Self::IllegalState,
        Self::Bti,
        Self::Pac,
        Self::MemoryCopySet,
        Self::Irq,
        Self::Fiq,
        Self::SError,
        Self::OtherSync,
    ];

    /// The kind of an exception taken through the vector at a byte offset in the
    /// table (Arm ARM, "Exception vectors"), with the syndrome `ESR_EL1`.
    pub const fn from_vector(offset_in_table: u64, esr: u64) -> Self {
        match offset_in_table & 0x180 {
            0x080 => Self::Irq,
            0x100 => Self::Fiq,
            0x180 => Self::SError,
            _ => Self::from_syndrome(esr),
        }
    }

    /// The kind of a synchronous exception.
    const fn from_syndrome(esr: u64) -> Self {
        match esr >> 26 & 0x3f {
            0x00 => Self::Undefined,
            0x01 => Self::WaitTrap,
            0x07 => Self::Fp,
            0x09 | 0x1c => Self::Pac,
            0x0d => Self::Bti,
            0x0e => Self::IllegalState,
            0x11 | 0x15 => Self::Svc,
            0x12 | 0x16 => Self::Hvc,
            0x13 | 0x17 => Self::Smc,
            0x14 | 0x18 => Self::SystemRegisterTrap,
            0x19 => Self::Sve,
            0x1d => Self::Sme,
            0x27 => Self::MemoryCopySet,
            0x28 | 0x2c => Self::FpException,
            class => Self::from_memory_or_debug_class(class, esr),
        }
    }

    const fn from_memory_or_debug_class(class: u64, esr: u64) -> Self {
        match class {
            0x20 | 0x21 => Self::InstructionAbort,
            0x22 => Self::PcAlignment,
            0x24 | 0x25 => Self::from_data_abort(esr),
            0x26 => Self::SpAlignment,
            0x2f => Self::SError,
            0x30 | 0x31 => Self::Breakpoint,
            0x32 | 0x33 => Self::SoftwareStep,
            0x34 | 0x35 => Self::Watchpoint,
            0x38 | 0x3c => Self::Brk,
            _ => Self::OtherSync,
        }
    }

    const fn from_data_abort(esr: u64) -> Self {
        const SYNCHRONOUS_TAG_CHECK_FAULT: u64 = 0b01_0001;
        match esr & 0x3f {
            SYNCHRONOUS_TAG_CHECK_FAULT => Self::TagCheckFault,
            _ => Self::DataAbort,
        }
    }

    /// How far the instruction at ELR came (Arm ARM, "Preferred exception return
    /// address"). BRK counts as completed: ELR points at it, and a debugger or
    /// kernel that goes on skips it. With PSTATE.IL set every instruction starts
    /// and fails.
    pub const fn progress(self) -> Progress {
        match self {
            Self::Svc
            | Self::Hvc
            | Self::Smc
            | Self::Brk
            | Self::Irq
            | Self::Fiq
            | Self::SError => Progress::Completed,
            Self::InstructionAbort | Self::PcAlignment | Self::Breakpoint | Self::SoftwareStep => {
                Progress::NotStarted
            }
            _ => Progress::Started,
        }
    }

    /// Whether nothing is left undone at ELR.
    pub const fn completes(self) -> bool {
        matches!(self.progress(), Progress::Completed)
    }

    /// Whether it is an interrupt or system error.
    pub const fn is_asynchronous(self) -> bool {
        matches!(self, Self::Irq | Self::Fiq | Self::SError)
    }

    /// The last part of the event's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Svc => "svc",
            Self::Hvc => "hvc",
            Self::Smc => "smc",
            Self::DataAbort => "data_abort",
            Self::InstructionAbort => "instruction_abort",
            Self::TagCheckFault => "tag_check_fault",
            Self::Fp => "fp",
            Self::Sve => "sve",
            Self::Sme => "sme",
            Self::FpException => "fp_exception",
            Self::SystemRegisterTrap => "system_register_trap",
            Self::WaitTrap => "wait_trap",
            Self::Undefined => "undefined",
            Self::Brk => "brk",
            Self::Breakpoint => "breakpoint",
            Self::Watchpoint => "watchpoint",
            Self::SoftwareStep => "software_step",
            Self::PcAlignment => "pc_alignment",
            Self::SpAlignment => "sp_alignment",
            Self::IllegalState => "illegal_state",
            Self::Bti => "bti",
            Self::Pac => "pac",
            Self::MemoryCopySet => "memory_copy_set",
            Self::Irq => "irq",
            Self::Fiq => "fiq",
            Self::SError => "serror",
            Self::OtherSync => "other_sync",
        }
    }
}
