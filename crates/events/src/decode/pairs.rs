// SPDX-License-Identifier: GPL-2.0-or-later
//! Pairs: Arm ARM, "Load/store register pair" in its forms, "Load/store
//! no-allocate pair" and, with `FEAT_LRCPC3`, "Load/store ordered".

use super::word::Word;
use crate::event::Event;
use crate::instruction::{Access, Address, Exemption, Instruction};

/// Bits 24 and 23 of a pair.
const NO_ALLOCATE: u32 = 0;
const POST: u32 = 1;
const PRE: u32 = 3;

/// LDP, STP, LDNP, STNP, LDPSW and STGP.
pub(super) fn decode(word: Word) -> Option<Instruction> {
    let mode = word.field(23, 2);
    let (vector, opc, load) = (word.bit(26), word.field(30, 2), word.bit(22));
    let register = match (vector, opc, load) {
        (true, 0..=2, _) => 4 << opc,
        (false, 0, _) => 4,
        (false, 2, _) => 8,
        (false, 1, true) if mode != NO_ALLOCATE => 4,
        (false, 1, false) if mode != NO_ALLOCATE => return Some(stgp(word, mode)),
        _ => return None,
    };
    let address = address(word, mode, register);
    let access = Access::load_or_store(load, address, 2 * register);
    let access = if matches!(mode, POST | PRE) { access } else { access.exempt_from_sp() };
    Some(Instruction::plain(word.0).accessing(access))
}

/// Stores a pair and the allocation tag of its granule; never checked.
fn stgp(word: Word, mode: u32) -> Instruction {
    const GRANULE: u32 = 16;
    let access = Access::write(address(word, mode, GRANULE), GRANULE);
    Instruction::plain(word.0)
        .accessing(access.exempt(Exemption::TagInstruction))
        .causing(Event::TagSt)
}

fn address(word: Word, mode: u32, scale: u32) -> Address {
    match mode {
        POST => Address::of(word.base()),
        _ => Address::plus(word.base(), word.signed(15, 7) * i64::from(scale)),
    }
}

/// LDIAPP, STILP, and LDAPR and STLR with writeback.
pub(super) fn ordered(word: Word) -> Option<Instruction> {
    if !word.bit(31) {
        return None;
    }
    let (load, register) = (word.bit(22), 4 << word.field(30, 1));
    let plain = word.field(12, 4) == 1;
    let (registers, writeback) = match (word.bit(23), word.field(12, 9)) {
        (false, _) if word.field(13, 3) == 0 => (2, !plain),
        (true, 0) => (1, true),
        _ => return None,
    };
    let size = registers * register;
    // Stores decrement first, loads increment after.
    let address = match (load, writeback) {
        (false, true) => Address::plus(word.base(), -i64::from(size)),
        _ => Address::of(word.base()),
    };
    let access = Access::load_or_store(load, address, size);
    let access = if writeback { access } else { access.exempt_from_sp() };
    Some(Instruction::plain(word.0).accessing(access))
}
