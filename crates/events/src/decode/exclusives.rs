// SPDX-License-Identifier: GPL-2.0-or-later
//! Arm ARM, "Load/store exclusive register", "… exclusive pair", "Load/store
//! ordered", "Compare and swap" and "Compare and swap pair".

use super::word::Word;
use crate::event::{AtomicKind, Event};
use crate::instruction::{Access, Address, Instruction};

/// All of the class. None has an offset, so SP exempts from checking.
pub(super) fn decode(word: Word) -> Option<Instruction> {
    let size = 1 << word.field(30, 2);
    match (word.bit(23), word.bit(21)) {
        (false, false) => Some(exclusive(word, size)),
        (false, true) if word.bit(31) => Some(exclusive(word, 8 << word.field(30, 1))),
        (false, true) => compare_and_swap(word, AtomicKind::Casp, 8 << word.field(30, 1)),
        (true, false) => (word.rs() == 31 && word.register(10) == 31).then(|| ordered(word, size)),
        (true, true) => compare_and_swap(word, AtomicKind::Cas, size),
    }
}

/// LDXR, STXR and their kind; the size is that of both registers of a pair.
/// Register fields that the form has no use for are not looked at, as in QEMU.
fn exclusive(word: Word, size: u32) -> Instruction {
    let load = word.bit(22);
    let kind = if load { AtomicKind::LoadExclusive } else { AtomicKind::StoreExclusive };
    ordered(word, size).causing(Event::Atomic(kind))
}

/// LDAR, STLR, LDLAR, STLLR.
fn ordered(word: Word, size: u32) -> Instruction {
    let access = Access::load_or_store(word.bit(22), Address::of(word.base()), size);
    Instruction::plain(word.0).accessing(access.exempt_from_sp())
}

fn compare_and_swap(word: Word, kind: AtomicKind, size: u32) -> Option<Instruction> {
    let pair_is_even = kind != AtomicKind::Casp || (word.rs() | word.rt()) & 1 == 0;
    if word.register(10) != 31 || !pair_is_even {
        return None;
    }
    let access = Access::read_write(Address::of(word.base()), size).exempt_from_sp();
    Some(Instruction::plain(word.0).accessing(access).causing(Event::Atomic(kind)))
}
