// SPDX-License-Identifier: GPL-2.0-or-later
//! Contiguous accesses of SVE and SME: Arm ARM, "SVE Memory" groups and "SME
//! Memory".
//!
//! One instruction counts one access, whatever its predicate leaves active.
//! Offsets in multiples of the vector length are not part of the address here.

use super::sve_gather;
use super::word::Word;
use crate::instruction::{Access, Address, Extend, Instruction, Offset};

/// log2 of the bytes in memory of an element, by dtype (Arm ARM, "LD1B" to
/// "LD1SW").
const DTYPE_SCALE: [u32; 16] = [0, 0, 0, 0, 2, 1, 1, 1, 1, 1, 2, 2, 0, 0, 0, 3];

/// The four memory groups of SVE.
pub(super) fn decode(word: Word) -> Option<Instruction> {
    match word.field(29, 3) {
        0b100 => fill(word).or_else(|| broadcast(word)).or_else(|| sve_gather::narrow(word)),
        0b101 => contiguous_load(word),
        0b110 => sve_gather::wide(word),
        0b111 => {
            spill(word).or_else(|| contiguous_store(word)).or_else(|| sve_gather::scatter(word))
        }
        _ => None,
    }
}

/// LDR of a predicate or vector register.
fn fill(word: Word) -> Option<Instruction> {
    is_whole_register(word).then(|| immediate(word, true))
}

/// STR of a predicate or vector register.
fn spill(word: Word) -> Option<Instruction> {
    is_whole_register(word).then(|| immediate(word, false))
}

const fn is_whole_register(word: Word) -> bool {
    let predicate = word.field(13, 3) == 0b000 && !word.bit(4);
    let vector = word.field(13, 3) == 0b010;
    word.field(22, 3) == 0b110 && (predicate || vector)
}

/// LD1RB to LD1RSW: one element to all.
fn broadcast(word: Word) -> Option<Instruction> {
    if !word.bit(22) || !word.bit(15) {
        return None;
    }
    let dtype = word.field(23, 2) << 2 | word.field(13, 2);
    let size = 1 << DTYPE_SCALE[dtype as usize];
    let address = Address::plus(word.base(), i64::from(word.field(16, 6) * size));
    let access = Access::read(address, size).exempt_from_sp();
    Some(Instruction::plain(word.0).accessing(access))
}

/// LD1RQ and LD1RO with an immediate: 16 or 32 bytes to all segments.
fn broadcast_segment(word: Word) -> Instruction {
    let size = 16 << word.field(21, 1);
    let address = Address::plus(word.base(), word.signed(16, 4) * i64::from(size));
    Instruction::plain(word.0).accessing(Access::read(address, size).exempt_from_sp())
}

fn contiguous_load(word: Word) -> Option<Instruction> {
    let (scale, dtype) = (word.field(23, 2), word.field(21, 4));
    let second_half = word.bit(20);
    let of_dtype = DTYPE_SCALE[dtype as usize];
    match word.field(13, 3) {
        0b000 if !word.bit(22) => indexed(word, true, scale), // LD1RQ, LD1RO
        0b001 if !word.bit(22) && !second_half => Some(broadcast_segment(word)),
        0b010 => indexed(word, true, of_dtype),
        0b011 => Some(indexed_or_base(word, true, of_dtype)), // LDFF1
        0b101 => Some(immediate(word, true)),                 // LD1, LDNF1
        0b110 => indexed(word, true, scale),                  // LDNT1, LD2 to LD4
        0b111 if !second_half => Some(immediate(word, true)),
        _ => None,
    }
}

fn contiguous_store(word: Word) -> Option<Instruction> {
    let (scale, element) = (word.field(23, 2), word.field(21, 2));
    let fits = scale <= element;
    let multiple = word.bit(20);
    match word.field(13, 3) {
        0b010 if fits => indexed(word, false, scale),
        0b011 => indexed(word, false, scale), // STNT1, ST2 to ST4
        0b111 if fits || multiple => Some(immediate(word, false)),
        _ => None,
    }
}

/// Scalar plus immediate: SP exempts.
fn immediate(word: Word, load: bool) -> Instruction {
    let access = Access::load_or_store(load, Address::of(word.base()), 0);
    Instruction::plain(word.0).accessing(access.exempt_from_sp())
}

/// Scalar plus scalar, where XZR is not allowed: checked even from SP.
fn indexed(word: Word, load: bool, scale: u32) -> Option<Instruction> {
    (word.rs() != 31).then(|| indexed_or_base(word, load, scale))
}

/// Scalar plus scalar, where XZR adds nothing.
fn indexed_or_base(word: Word, load: bool, scale: u32) -> Instruction {
    #[allow(clippy::cast_possible_truncation)] // at most 4
    let shift = scale as u8;
    let offset = match word.rs() {
        31 => Offset::None,
        index => Offset::Register { index, extend: Extend::Uxtx, shift },
    };
    let address = Address { base: word.base(), offset };
    Instruction::plain(word.0).accessing(Access::load_or_store(load, address, 0))
}

/// SME: LD1 and ST1 of a tile slice, LDR and STR of the ZA array.
pub(super) fn decode_sme(word: Word) -> Option<Instruction> {
    if word.field(29, 3) != 0b111 || word.bit(4) {
        return None;
    }
    let load = !word.bit(21);
    match word.field(22, 3) {
        element @ 0b000..=0b011 => Some(indexed_or_base(word, load, element)),
        0b111 => Some(indexed_or_base(word, load, 4)),
        0b100 if word.field(15, 6) == 0 && word.field(10, 3) == 0 => Some(immediate(word, load)),
        _ => None,
    }
}
