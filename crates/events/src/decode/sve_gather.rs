// SPDX-License-Identifier: GPL-2.0-or-later
//! Gather loads and scatter stores of SVE.
//!
//! With a scalar base the vector of offsets is unknown here, and the base stands
//! for all addresses. With a vector of bases no address is known.

use super::word::Word;
use crate::instruction::{Access, Address, Base, Exemption, Instruction};

/// Arm ARM, "SVE Memory - 32-bit Gather and Unsized Contiguous".
pub(super) fn narrow(word: Word) -> Option<Instruction> {
    let scale = word.field(23, 2);
    // An element of 32 bits is filled without an extension.
    let loads = scale < 2 || scale == 2 && word.bit(14);
    match (word.bit(15), word.field(21, 2)) {
        (true, 0b00) if !is_prefetch(word) => narrow_non_temporal(word, scale),
        _ if !loads => None,
        (false, form) => (scale != 0 || form & 1 == 0).then(|| from_scalar(word, true)),
        (true, 0b01) => Some(from_vector(word, true)),
        _ => None,
    }
}

/// LDNT1, vector plus scalar. Bit 13 says whether the element is extended with
/// zeroes.
fn narrow_non_temporal(word: Word, scale: u32) -> Option<Instruction> {
    (scale < 2 || scale == 2 && word.bit(13)).then(|| from_vector(word, true))
}

const fn is_prefetch(word: Word) -> bool {
    word.bit(14)
}

/// Arm ARM, "SVE Memory - 64-bit Gather".
pub(super) fn wide(word: Word) -> Option<Instruction> {
    let scale = word.field(23, 2);
    let loads = scale < 3 || word.bit(14);
    let unscaled_or_sized = |form: u32| scale != 0 || form & 1 == 0;
    match (word.bit(15), word.field(21, 2)) {
        _ if !loads => None,
        (false, form) => unscaled_or_sized(form).then(|| from_scalar(word, true)),
        (true, form @ 0b10..) => unscaled_or_sized(form).then(|| from_scalar(word, true)),
        (true, 0b01) => Some(from_vector(word, true)),
        (true, _) => (!word.bit(13)).then(|| from_vector(word, true)), // LDNT1
    }
}

/// Arm ARM, "SVE Memory - Store", the scatter forms.
pub(super) fn scatter(word: Word) -> Option<Instruction> {
    let (scale, form) = (word.field(23, 2), word.field(21, 2));
    let (narrow, scaled) = (form & 0b10 != 0, form & 0b01 != 0);
    let fits = scale < 3 || !narrow;
    match word.field(13, 3) {
        0b001 if fits && !scaled => Some(from_vector(word, false)), // STNT1
        0b100 | 0b110 if fits && (!scaled || scale > 0) => Some(from_scalar(word, false)),
        0b101 if !narrow && (!scaled || scale > 0) => Some(from_scalar(word, false)),
        0b101 if narrow && (!scaled || scale < 3) => Some(from_vector(word, false)),
        _ => None,
    }
}

/// Scalar base and vector of offsets: checked even from SP.
fn from_scalar(word: Word, load: bool) -> Instruction {
    let access = Access::load_or_store(load, Address::of(word.base()), 0);
    Instruction::plain(word.0).accessing(access)
}

fn from_vector(word: Word, load: bool) -> Instruction {
    let access = Access::load_or_store(load, Address::of(Base::Zero), 0);
    Instruction::plain(word.0).accessing(access.exempt(Exemption::VectorAddress))
}
