// SPDX-License-Identifier: GPL-2.0-or-later
//! Arm ARM, "Memory Copy and Memory Set".
//!
//! Each of the three instructions of a copy or set counts once, whatever part
//! of the work the machine does in it; that part is IMPLEMENTATION DEFINED.

use super::word::Word;
use crate::event::Event;
use crate::instruction::{Access, Address, Base, Exemption, Extend, Instruction, Offset};

/// CPY*, CPYF*, SET* and SETG*.
pub(super) fn decode(word: Word) -> Option<Instruction> {
    const SET: u32 = 0b11;
    if word.field(30, 2) != 0 {
        return None;
    }
    match word.field(22, 2) {
        SET => set(word),
        _ => copy(word),
    }
}

/// The registers must differ, and all but the value of a SET be other than 31;
/// else the behaviour is CONSTRAINED UNPREDICTABLE and no such use is made.
fn copy(word: Word) -> Option<Instruction> {
    let (destination, source, size) = (word.rt(), word.rs(), word.register(5));
    if !distinct(destination, source, size) || source == 31 {
        return None;
    }
    let prologue = word.field(22, 2) == 0;
    let read = Access::read(address(source, size, prologue), 0);
    let write = Access::write(address(destination, size, prologue), 0);
    let read = if word.bit(13) { read.unprivileged() } else { read };
    let write = if word.bit(12) { write.unprivileged() } else { write };
    Some(Instruction::plain(word.0).accessing(read).accessing(write))
}

fn set(word: Word) -> Option<Instruction> {
    let (destination, value, size) = (word.rt(), word.rs(), word.register(5));
    let stage = word.field(14, 2);
    if !distinct(destination, value, size) || stage == 3 {
        return None;
    }
    let write = Access::write(address(destination, size, stage == 0), 0);
    let write = if word.bit(12) { write.unprivileged() } else { write };
    let plain = Instruction::plain(word.0);
    let stores_tags = word.bit(26);
    Some(if stores_tags {
        plain.accessing(write.exempt(Exemption::TagInstruction)).causing(Event::TagSt)
    } else {
        plain.accessing(write)
    })
}

/// Whether the address and size registers may be used together with the third.
const fn distinct(address: u8, other: u8, size: u8) -> bool {
    address != other && address != size && other != size && address != 31 && size != 31
}

/// After the prologue the address register points at the end and the size
/// register holds the negative number of bytes left ("option A" of the Arm ARM,
/// which QEMU implements).
const fn address(register: u8, size: u8, prologue: bool) -> Address {
    let offset = if prologue {
        Offset::None
    } else {
        Offset::Register { index: size, extend: Extend::Uxtx, shift: 0 }
    };
    Address { base: Base::X(register), offset }
}
