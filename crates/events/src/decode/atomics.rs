// SPDX-License-Identifier: GPL-2.0-or-later
//! Arm ARM, "Atomic memory operations" and "128-bit atomic memory operations".

use super::word::Word;
use crate::event::{AtomicKind, Event};
use crate::instruction::{Access, Address, Instruction};

/// `LD<op>`, `ST<op>`, SWP, LDAPR, LD64B and ST64B.
pub(super) fn decode(word: Word) -> Option<Instruction> {
    const ACQUIRE_ONLY: u32 = 0b10;
    let (size, ordering) = (word.field(30, 2), word.field(22, 2));
    match (word.bit(15), word.field(12, 3)) {
        (false, _) => Some(atomic(word, operation(word), 1 << size)),
        (true, 0b000) => Some(atomic(word, AtomicKind::Swp, 1 << size)),
        (true, 0b100) if ordering == ACQUIRE_ONLY && word.rs() == 31 => {
            Some(from_base(word, true, 1 << size)) // LDAPR
        }
        (true, opc) if size == 0b11 && ordering == 0 => single_copy_64_bytes(word, opc),
        _ => None,
    }
}

/// `ST<op>` is the alias of `LD<op>` without acquire into the zero register.
const fn operation(word: Word) -> AtomicKind {
    let acquire = word.bit(23);
    match (acquire, word.rt()) {
        (false, 31) => AtomicKind::StOp,
        _ => AtomicKind::LdOp,
    }
}

/// `FEAT_LS64`: LD64B, ST64B, ST64BV, ST64BV0.
fn single_copy_64_bytes(word: Word, opc: u32) -> Option<Instruction> {
    let load = match opc {
        0b101 if word.rs() == 31 => true,
        0b001 if word.rs() == 31 => false,
        0b010 | 0b011 => false, // Rs takes the status
        _ => return None,
    };
    // Eight consecutive registers from an even number, up to X22 to X29.
    let registers_exist = word.rt().is_multiple_of(2) && word.rt() <= 22;
    registers_exist.then(|| from_base(word, load, 64))
}

fn atomic(word: Word, kind: AtomicKind, size: u32) -> Instruction {
    let access = Access::read_write(Address::of(word.base()), size).exempt_from_sp();
    Instruction::plain(word.0).accessing(access).causing(Event::Atomic(kind))
}

fn from_base(word: Word, load: bool, size: u32) -> Instruction {
    let access = Access::load_or_store(load, Address::of(word.base()), size).exempt_from_sp();
    Instruction::plain(word.0).accessing(access)
}

/// `FEAT_LSE128`: LDCLRP, LDSETP, SWPP.
pub(super) fn pair(word: Word) -> Option<Instruction> {
    if word.field(30, 2) != 0 || word.rt() == 31 || word.rs() == 31 {
        return None;
    }
    let kind = match word.field(12, 4) {
        0b0001 | 0b0011 => AtomicKind::LdOp,
        0b1000 => AtomicKind::Swp,
        _ => return None,
    };
    Some(atomic(word, kind, 16))
}
