// SPDX-License-Identifier: GPL-2.0-or-later
//! Arm ARM, "Advanced SIMD load/store multiple structures" and "… single
//! structure", each also post-indexed.

use super::word::Word;
use crate::instruction::{Access, Address, Instruction};

/// LD1 to LD4 and ST1 to ST4 of whole registers.
pub(super) fn multiple(word: Word) -> Option<Instruction> {
    let (quad, element) = (word.field(30, 1), word.field(10, 2));
    let registers = match word.field(12, 4) {
        0b0000 | 0b0010 => 4,
        0b0100 | 0b0110 => 3,
        0b1000 | 0b1010 => 2,
        0b0111 => 1,
        _ => return None,
    };
    // One 64-bit element in each register cannot be interleaved.
    let interleaved = !word.bit(13);
    if word.bit(31) || word.bit(21) || interleaved && element == 3 && quad == 0 {
        return None;
    }
    access(word, registers * (8 << quad))
}

/// LD1 to LD4 and ST1 to ST4 of one element, and LD1R to LD4R.
pub(super) fn single(word: Word) -> Option<Instruction> {
    if word.bit(31) {
        return None;
    }
    if let Some(ordered) = ordered(word) {
        return Some(ordered);
    }
    let registers = (word.field(13, 1) << 1 | word.field(21, 1)) + 1;
    access(word, registers * element_bytes(word)?)
}

/// Bytes of one element, from the opcode, S and size.
const fn element_bytes(word: Word) -> Option<u32> {
    let (s, size) = (word.bit(12), word.field(10, 2));
    match (word.field(14, 2), size) {
        (0b00, _) => Some(1),
        (0b01, 0 | 2) => Some(2),
        (0b10, 0) => Some(4),
        (0b10, 1) if !s => Some(8),
        (0b11, _) if !s && word.bit(22) => Some(1 << size),
        _ => None,
    }
}

/// `FEAT_LRCPC3`: LDAP1 and STL1, of one 64-bit element.
fn ordered(word: Word) -> Option<Instruction> {
    let matches =
        word.field(23, 1) == 0 && word.field(16, 6) == 1 && word.field(10, 6) == 0b10_0001;
    matches.then(|| transfer(word, 8, false))
}

fn access(word: Word, size: u32) -> Option<Instruction> {
    let post = word.bit(23);
    let offset_field_is_clear = word.rs() == 0;
    (post || offset_field_is_clear).then(|| transfer(word, size, post))
}

fn transfer(word: Word, size: u32, post: bool) -> Instruction {
    let access = Access::load_or_store(word.bit(22), Address::of(word.base()), size);
    let access = if post { access } else { access.exempt_from_sp() };
    Instruction::plain(word.0).accessing(access)
}
