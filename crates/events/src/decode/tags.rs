// SPDX-License-Identifier: GPL-2.0-or-later
//! Arm ARM, "Load/store memory tags".

use super::word::Word;
use crate::event::Event;
use crate::instruction::{Access, Address, Exemption, Instruction};

/// STG, STZG, ST2G, STZ2G, LDG, and the multiple forms STGM, STZGM and LDGM.
pub(super) fn decode(word: Word) -> Option<Instruction> {
    const NO_WRITEBACK_MULTIPLE: u32 = 0b00;
    let plain = Instruction::plain(word.0);
    match (word.field(10, 2), word.field(22, 2)) {
        (NO_WRITEBACK_MULTIPLE, 0b01) => Some(plain.causing(Event::TagLd)), // LDG
        (NO_WRITEBACK_MULTIPLE, opc) => multiple(word, opc),
        (_, 0b01) => Some(zeroing(plain, offset_address(word), 16)), // STZG
        (_, 0b11) => Some(zeroing(plain, offset_address(word), 32)), // STZ2G
        _ => Some(plain.causing(Event::TagSt)),
    }
}

fn multiple(word: Word, opc: u32) -> Option<Instruction> {
    if word.field(12, 9) != 0 {
        return None;
    }
    let plain = Instruction::plain(word.0);
    Some(match opc {
        0b00 => zeroing(plain, Address::of(word.base()), 0), // STZGM
        0b10 => plain.causing(Event::TagSt),
        _ => plain.causing(Event::TagLd),
    })
}

/// Stores tags and zeroes the data.
fn zeroing(plain: Instruction, address: Address, size: u32) -> Instruction {
    let access = Access::write(address, size).exempt(Exemption::TagInstruction);
    plain.accessing(access).causing(Event::TagSt)
}

fn offset_address(word: Word) -> Address {
    const POST: u32 = 0b01;
    const GRANULE: i64 = 16;
    match word.field(10, 2) {
        POST => Address::of(word.base()),
        _ => Address::plus(word.base(), word.signed(12, 9) * GRANULE),
    }
}
