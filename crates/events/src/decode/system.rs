// SPDX-License-Identifier: GPL-2.0-or-later
//! Arm ARM, "Branches, Exception Generating and System instructions".

use super::word::Word;
use crate::barrier::Barrier;
use crate::event::Event;
use crate::instruction::{Access, Address, Base, Control, Exemption, Instruction, TcoSource};
use crate::register::SystemRegister;
use crate::tlbi::TlbiOp;

/// System instructions, exception generation and exception return.
pub(super) fn decode(word: Word) -> Option<Instruction> {
    match word.field(24, 8) {
        0b1101_0100 => exception_generation(word),
        0b1101_0101 if word.field(22, 2) == 0 => system(word),
        0b1101_0110 => exception_return(word),
        _ => None,
    }
}

fn exception_generation(word: Word) -> Option<Instruction> {
    let plain = Instruction::plain(word.0);
    match (word.field(21, 3), word.field(0, 5)) {
        (0, 0b00001) => Some(plain.causing(Event::Svc).controlling(Control::MayTrap)),
        // HVC, SMC, BRK, HLT
        (0, 0b00010 | 0b00011) | (1 | 2, 0) => Some(plain.controlling(Control::MayTrap)),
        _ => None,
    }
}

/// ERET, ERETAA, ERETAB.
fn exception_return(word: Word) -> Option<Instruction> {
    const FORMS: [u32; 3] = [0xd69f_03e0, 0xd69f_0bff, 0xd69f_0fff];
    FORMS.contains(&word.0).then(|| {
        Instruction::plain(word.0).causing(Event::Eret).controlling(Control::ExceptionReturn)
    })
}

/// What bits 21 (L) and 20 to 19 (op0) tell apart.
fn system(word: Word) -> Option<Instruction> {
    let reads = word.bit(21);
    match (word.field(19, 2), reads) {
        (0, false) => without_register(word),
        (0, true) => None,
        (1, _) => Some(sys(word, reads)),
        (_, true) => Some(Instruction::plain(word.0).causing(Event::Mrs(register(word)))),
        (_, false) => Some(move_to_register(word)),
    }
}

/// Hints, barriers and PSTATE; and WFET, WFIT, which do take a register.
fn without_register(word: Word) -> Option<Instruction> {
    const HINTS: u32 = 2;
    let (op1, crn) = (word.field(16, 3), word.field(12, 4));
    match (op1, crn) {
        (3, 1) => Some(Instruction::plain(word.0).controlling(Control::MayTrap)),
        _ if word.rt() != 31 => None,
        (3, HINTS) => hint(word),
        (3, 3) => barrier(word),
        (_, 4) => move_immediate(word),
        _ => None,
    }
}

/// WFE and WFI may trap, AUTIASP and its kind find a pointer that is not
/// authentic; no other hint is of interest.
fn hint(word: Word) -> Option<Instruction> {
    let may_trap = matches!(word.field(5, 7), 2 | 3 | 12 | 14 | 28..=31);
    may_trap.then(|| Instruction::plain(word.0).controlling(Control::MayTrap))
}

fn barrier(word: Word) -> Option<Instruction> {
    let option = crm(word);
    let event = match word.field(5, 3) {
        0b001 if option & 3 == 2 => Event::Dsb(Barrier::nxs(option)),
        0b100 => Event::Dsb(Barrier::new(option)),
        0b101 => Event::Dmb(Barrier::new(option)),
        0b110 => Event::Isb,
        _ => return None, // CLREX, SB, TCOMMIT
    };
    Some(Instruction::plain(word.0).causing(event))
}

/// MSR (immediate). The value is in `CRm`.
fn move_immediate(word: Word) -> Option<Instruction> {
    let value = crm(word);
    let field = match (word.field(16, 3), word.field(5, 3)) {
        (0, 3) => SystemRegister::UAO,
        (0, 4) => SystemRegister::PAN,
        (0, 5) => SystemRegister::SPSEL,
        (1, 0) if value < 2 => SystemRegister::ALLINT,
        (1, 0) if value < 4 => SystemRegister::PM,
        (3, 1) => SystemRegister::SSBS,
        (3, 2) => SystemRegister::DIT,
        (3, 3) if matches!(value, 2..=7) => SystemRegister::SVCR,
        (3, 4) => SystemRegister::TCO,
        (3, 6) => SystemRegister::DAIFSET,
        (3, 7) => SystemRegister::DAIFCLR,
        _ => return None,
    };
    let control = match field {
        SystemRegister::TCO => Control::WritesTco(TcoSource::Immediate(value & 1 == 1)),
        _ => Control::MayTrap,
    };
    Some(Instruction::plain(word.0).causing(Event::Msr(field)).controlling(control))
}

/// MSR (register).
fn move_to_register(word: Word) -> Instruction {
    let register = register(word);
    let control = match register {
        SystemRegister::TCO => Control::WritesTco(TcoSource::Register(word.rt())),
        _ => Control::WritesSystemRegister(register, word.rt()),
    };
    Instruction::plain(word.0).causing(Event::Msr(register)).controlling(control)
}

fn register(word: Word) -> SystemRegister {
    // op0 to op2 are bits 20 to 5, in the order of the packed register.
    #[allow(clippy::cast_possible_truncation)] // 16 bits
    SystemRegister(word.field(5, 16) as u16)
}

/// SYS and its aliases TLBI, DC, IC and AT; SYSL.
fn sys(word: Word, reads: bool) -> Instruction {
    let plain = Instruction::plain(word.0);
    if reads {
        return plain.controlling(Control::MayTrap);
    }
    if let Some(op) = tlbi(word) {
        return plain.causing(Event::Tlbi(op)).controlling(Control::Tlbi);
    }
    zero_or_tag_by_address(word).unwrap_or(plain).controlling(Control::MayTrap)
}

fn tlbi(word: Word) -> Option<TlbiOp> {
    #[allow(clippy::cast_possible_truncation)] // at most 4 bits
    let part = |low, width| word.field(low, width) as u8;
    TlbiOp::from_sys(part(16, 3), part(12, 4), part(8, 4), part(5, 3))
}

/// DC ZVA is checked like a store; DC GVA and GZVA store tags.
fn zero_or_tag_by_address(word: Word) -> Option<Instruction> {
    const DC_VA_ZERO: u32 = 3 << 11 | 7 << 7 | 4 << 3;
    let write = Access::write(Address::of(Base::or_zero(word.rt())), 0);
    let plain = Instruction::plain(word.0);
    match word.field(5, 14) {
        code if code == DC_VA_ZERO | 1 => Some(plain.accessing(write)),
        code if code == DC_VA_ZERO | 3 => Some(plain.causing(Event::TagSt)),
        code if code == DC_VA_ZERO | 4 => {
            let write = write.exempt(Exemption::TagInstruction);
            Some(plain.accessing(write).causing(Event::TagSt))
        }
        _ => None,
    }
}

#[allow(clippy::cast_possible_truncation)] // four bits
const fn crm(word: Word) -> u8 {
    word.field(8, 4) as u8
}
