// SPDX-License-Identifier: GPL-2.0-or-later
//! From a translation block to counters.
//!
//! A block is cut into *stretches*: runs of instructions of which only the last
//! can fail to complete or leave the block early (a memory access can fault or
//! touch a device, a system instruction can trap). One counter for a stretch,
//! added to at its first instruction, is then exact, and costs a third of a
//! counter for each instruction. A block that QEMU abandons after a device
//! access under icount is resumed at the next instruction, in a new block, so a
//! counter for whole blocks would count what did not happen.

use granule_events::{decode, Control, ExceptionLevel, Instruction, TagCheck};

use crate::ledger::{Meaning, Sense};
use crate::qemu::{Block, TranslatedInstruction};

/// One instruction of a block with its decoding.
#[derive(Debug, Clone)]
pub struct Decoded {
    pub translated: TranslatedInstruction,
    pub pc: u64,
    pub instruction: Instruction,
}

impl Decoded {
    /// Whether a stretch has to end with this instruction.
    fn ends_stretch(&self) -> bool {
        !self.instruction.accesses.is_empty()
            || self.instruction.control != Control::None
            || !self.instruction.causes.is_empty()
    }

    /// Whether some access of the instruction can be tag-checked.
    pub fn may_check(&self) -> bool {
        self.instruction.accesses.iter().any(|access| access.tag_check == TagCheck::Eligible)
    }
}

/// The instructions of a block, decoded.
pub fn decoded(block: Block) -> Vec<Decoded> {
    block
        .instructions()
        .map(|translated| Decoded {
            translated,
            pc: translated.address(),
            instruction: decode(translated.word()),
        })
        .collect()
}

/// The stretches of a block.
pub fn stretches(block: &[Decoded]) -> impl Iterator<Item = &[Decoded]> {
    block.split_inclusive(Decoded::ends_stretch)
}

/// What one pass through a stretch means.
pub fn meaning(stretch: &[Decoded], el: ExceptionLevel) -> Meaning {
    let mut events = Vec::with_capacity(stretch.len() + 2);
    for decoded in stretch {
        crate::counters::add_events(decoded.instruction.word, &mut events);
    }
    Meaning { el, pc: stretch[0].pc, sense: Sense::Adds, events }
}
