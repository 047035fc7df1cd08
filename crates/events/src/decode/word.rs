// SPDX-License-Identifier: GPL-2.0-or-later
//! Fields of an instruction word.

use crate::instruction::Base;

/// An instruction word.
#[derive(Clone, Copy)]
pub(super) struct Word(pub u32);

impl Word {
    /// `width` bits from bit `low` up.
    pub const fn field(self, low: u32, width: u32) -> u32 {
        self.0 >> low & ((1 << width) - 1)
    }

    /// The field as a signed number.
    pub const fn signed(self, low: u32, width: u32) -> i64 {
        let top = 32 - width;
        ((self.0 >> low << top).cast_signed() >> top) as i64
    }

    /// One bit.
    pub const fn bit(self, number: u32) -> bool {
        self.0 >> number & 1 == 1
    }

    /// A register number of five bits.
    #[allow(clippy::cast_possible_truncation)] // five bits
    pub const fn register(self, low: u32) -> u8 {
        self.field(low, 5) as u8
    }

    /// Rt or Rd, bits 4 to 0.
    pub const fn rt(self) -> u8 {
        self.register(0)
    }

    /// Rs or Rm, bits 20 to 16.
    pub const fn rs(self) -> u8 {
        self.register(16)
    }

    /// Rn, bits 9 to 5, where 31 is SP.
    pub const fn base(self) -> Base {
        Base::or_sp(self.register(5))
    }
}
