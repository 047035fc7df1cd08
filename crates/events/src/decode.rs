// SPDX-License-Identifier: GPL-2.0-or-later
//! Instruction words to [`Instruction`]s, by the encoding classes of the Arm
//! ARM, "A64 instruction set encoding".
//!
//! An encoding that is unallocated, or belongs to an extension that is not
//! covered, decodes as an instruction without accesses and events.

mod atomics;
mod copies;
mod exclusives;
mod loads;
mod pairs;
mod structures;
mod sve;
mod sve_gather;
mod system;
mod tags;
mod word;

use crate::instruction::{Control, Instruction, MarkKind};
use word::Word;

/// Decodes an instruction word.
pub fn decode(word: u32) -> Instruction {
    let bits = Word(word);
    let found = match bits.field(25, 4) {
        0b0010 => sve::decode(bits),
        0b0000 => sve::decode_sme(bits),
        0b1010 | 0b1011 => system::decode(bits),
        0b0100 | 0b0110 | 0b1100 | 0b1110 => load_or_store(bits),
        _ => mark(bits).or_else(|| authentication(bits)),
    };
    found.unwrap_or(Instruction::plain(word))
}

/// Arm ARM, "Loads and Stores".
fn load_or_store(word: Word) -> Option<Instruction> {
    match word.field(24, 6) {
        0b00_1000 => exclusives::decode(word),
        0b00_1100 => structures::multiple(word),
        0b00_1101 => structures::single(word),
        0b01_1000 | 0b01_1100 => loads::literal(word),
        0b01_1001 | 0b01_1101 => ordered_tags_or_copies(word),
        0b10_1000 | 0b10_1001 | 0b10_1100 | 0b10_1101 => pairs::decode(word),
        0b11_1000 | 0b11_1100 => register(word),
        0b11_1001 | 0b11_1101 => loads::unsigned_offset(word),
        _ => None,
    }
}

/// The classes that share bits 29 to 27 = 011 and bit 24 = 1.
fn ordered_tags_or_copies(word: Word) -> Option<Instruction> {
    let vector = word.bit(26);
    match (vector, word.bit(21), word.field(10, 2)) {
        (false, false, 0b00) => loads::unscaled_ordered(word),
        (true, false, 0b10) => loads::unscaled_ordered_vector(word),
        (_, false, 0b01) => copies::decode(word),
        (false, false, 0b10) => pairs::ordered(word),
        (false, true, _) if word.field(30, 2) == 0b11 => tags::decode(word),
        (false, true, 0b00) => atomics::pair(word),
        _ => None,
    }
}

/// The forms of "Load/store register" that bits 21, 11 and 10 tell apart.
fn register(word: Word) -> Option<Instruction> {
    let vector = word.bit(26);
    match (word.bit(21), word.field(10, 2)) {
        (false, _) => loads::nine_bit_offset(word),
        (true, 0b10) => loads::register_offset(word),
        (true, 0b00) if !vector => atomics::decode(word),
        (true, 0b01 | 0b11) if !vector => loads::authenticated(word),
        _ => None,
    }
}

/// AUTIA, AUTIZA and their kind, which raise an exception for a pointer that
/// is not authentic (`FEAT_FPAC`). Arm ARM, "Data-processing (1 source)".
fn authentication(word: Word) -> Option<Instruction> {
    let authenticates =
        word.field(16, 16) == 0xdac1 && matches!(word.field(10, 6), 4..=7 | 12..=15);
    authenticates.then(|| Instruction::plain(word.0).controlling(Control::MayTrap))
}

/// The marks of a measured program: `movz xzr, #0x4752, lsl #(0, 16, 32)`.
fn mark(word: Word) -> Option<Instruction> {
    const OPEN: u32 = 0xd280_0000 | 0x4752 << 5 | 31;
    const SHIFT: u32 = 1 << 21;
    let kind = match word.0 {
        OPEN => MarkKind::Open,
        w if w == OPEN + SHIFT => MarkKind::Close,
        w if w == OPEN + 2 * SHIFT => MarkKind::Iteration,
        _ => return None,
    };
    Some(Instruction::plain(word.0).controlling(Control::Mark(kind)))
}
