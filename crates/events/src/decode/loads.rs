// SPDX-License-Identifier: GPL-2.0-or-later
//! Loads and stores of one register: Arm ARM, "Load register (literal)",
//! "Load/store register" in its forms, "LDAPR/STLR (unscaled immediate)" and
//! "Load/store register (pac)".

use super::word::Word;
use crate::instruction::{Access, Address, Base, Exemption, Extend, Instruction, Offset};

/// Direction and size of a single register transfer.
struct Transfer {
    load: bool,
    /// log2 of the bytes.
    scale: u32,
}

impl Transfer {
    /// From size, opc and V; `None` for PRFM and unallocated encodings.
    const fn of(word: Word) -> Option<Self> {
        let (size, opc) = (word.field(30, 2), word.field(22, 2));
        match (word.bit(26), size, opc) {
            (_, scale, 0b00 | 0b01) => Some(Self { load: opc == 1, scale }),
            (false, scale @ 0..=2, 0b10) | (false, scale @ 0..=1, 0b11) => {
                Some(Self { load: true, scale })
            }
            (true, 0, _) => Some(Self { load: opc == 3, scale: 4 }),
            _ => None,
        }
    }

    const fn access(&self, address: Address) -> Access {
        Access::load_or_store(self.load, address, 1 << self.scale)
    }
}

/// LDR (literal), LDRSW (literal).
pub(super) fn literal(word: Word) -> Option<Instruction> {
    let size = match (word.bit(26), word.field(30, 2)) {
        (_, 0) | (false, 2) => 4,
        (_, 1) => 8,
        (true, 2) => 16,
        _ => return None, // PRFM and unallocated
    };
    let address = Address::plus(Base::Pc, word.signed(5, 19) * 4);
    let access = Access::read(address, size).exempt(Exemption::Literal);
    Some(Instruction::plain(word.0).accessing(access))
}

/// Unsigned 12-bit offset, scaled.
pub(super) fn unsigned_offset(word: Word) -> Option<Instruction> {
    let transfer = Transfer::of(word)?;
    let offset = i64::from(word.field(10, 12) << transfer.scale);
    let access = transfer.access(Address::plus(word.base(), offset));
    Some(Instruction::plain(word.0).accessing(access.exempt_from_sp()))
}

/// Signed 9-bit offset: unscaled, post-indexed, unprivileged or pre-indexed.
pub(super) fn nine_bit_offset(word: Word) -> Option<Instruction> {
    const UNSCALED: u32 = 0;
    const POST: u32 = 1;
    const UNPRIVILEGED: u32 = 2;
    let transfer = Transfer::of(word)?;
    let there = transfer.access(Address::plus(word.base(), word.signed(12, 9)));
    let access = match word.field(10, 2) {
        UNSCALED => there.exempt_from_sp(),
        POST => transfer.access(Address::of(word.base())),
        UNPRIVILEGED if word.bit(26) => return None,
        UNPRIVILEGED => there.exempt_from_sp().unprivileged(),
        _ => there,
    };
    Some(Instruction::plain(word.0).accessing(access))
}

/// Register offset. Checked even from SP.
pub(super) fn register_offset(word: Word) -> Option<Instruction> {
    let transfer = Transfer::of(word)?;
    let extend = match word.field(13, 3) {
        0b010 => Extend::Uxtw,
        0b011 => Extend::Uxtx,
        0b110 => Extend::Sxtw,
        0b111 => Extend::Sxtx,
        _ => return None,
    };
    let shift = if word.bit(12) { transfer.scale } else { 0 };
    #[allow(clippy::cast_possible_truncation)] // at most 4
    let offset = Offset::Register { index: word.rs(), extend, shift: shift as u8 };
    let access = transfer.access(Address { base: word.base(), offset });
    Some(Instruction::plain(word.0).accessing(access))
}

/// LDAPUR, STLUR.
pub(super) fn unscaled_ordered(word: Word) -> Option<Instruction> {
    let transfer = Transfer::of(word)?;
    let access = transfer.access(Address::plus(word.base(), word.signed(12, 9)));
    Some(Instruction::plain(word.0).accessing(access.exempt_from_sp()))
}

/// LDAPUR, STLUR of SIMD and floating-point registers (`FEAT_LRCPC3`).
pub(super) fn unscaled_ordered_vector(word: Word) -> Option<Instruction> {
    unscaled_ordered(word)
}

/// LDRAA, LDRAB. The base holds an authentication code; its tag byte and bit
/// 55 are those of the address.
pub(super) fn authenticated(word: Word) -> Option<Instruction> {
    if word.field(30, 2) != 0b11 {
        return None;
    }
    let offset = (word.signed(22, 1) << 9 | i64::from(word.field(12, 9))) * 8;
    let access = Access::read(Address::plus(word.base(), offset), 8);
    let writeback = word.bit(11);
    let access = if writeback { access } else { access.exempt_from_sp() };
    Some(Instruction::plain(word.0).accessing(access))
}
