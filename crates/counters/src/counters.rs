// SPDX-License-Identifier: GPL-2.0-or-later
//! Where the counts are: one 64-bit counter for each slot and vCPU, in
//! scoreboards that generated code adds to directly.

use granule_events::{decode, Event, ExceptionKind, ExceptionLevel};

use crate::ledger::{ByLevel, Ledger, Meaning, Sense};
use crate::qemu::{self, PerVcpu, Scoreboard};

/// Slots in one scoreboard. QEMU allocates room for at least 16 vCPUs, so a
/// scoreboard takes 2 MiB or more.
const CHUNK: usize = 16 * 1024;

/// The counter of one slot.
#[derive(Debug, Clone, Copy)]
pub struct SlotCounter(pub PerVcpu);

impl SlotCounter {
    /// Counts one on a vCPU, from that vCPU's own thread.
    pub fn bump(self, vcpu: u32) {
        self.0.add(vcpu, 1);
    }
}

/// All counters, and the ledger that says what they mean.
#[derive(Debug, Default)]
pub struct Counters {
    pub ledger: Ledger,
    chunks: Vec<Scoreboard>,
}

impl Counters {
    /// The counter for a meaning.
    pub fn counter(&mut self, meaning: Meaning) -> SlotCounter {
        let slot = self.ledger.slot(meaning);
        while self.chunks.len() <= slot / CHUNK {
            self.chunks.push(Scoreboard::new(CHUNK));
        }
        SlotCounter(self.chunks[slot / CHUNK].value(slot % CHUNK))
    }

    /// The counter of an exception taken from `from` through the vector at `pc`.
    pub fn exception(&mut self, kind: ExceptionKind, from: ExceptionLevel, pc: u64) -> SlotCounter {
        let events = vec![Event::Exception(kind)];
        self.counter(Meaning { el: from, pc, sense: Sense::Adds, events })
    }

    /// The counter that takes back an instruction that started and did not complete.
    pub fn not_completed(&mut self, el: ExceptionLevel, pc: u64, word: u32) -> SlotCounter {
        let mut events = Vec::new();
        add_events(word, &mut events);
        self.counter(Meaning { el, pc, sense: Sense::TakesBack, events })
    }

    /// Every slot's count now, over all vCPUs.
    pub fn snapshot(&self) -> Vec<u64> {
        let mut counts = vec![0; self.ledger.len()];
        for (chunk, part) in self.chunks.iter().zip(counts.chunks_mut(CHUNK)) {
            for vcpu in 0..qemu::vcpus() {
                chunk.add_into(vcpu, part);
            }
        }
        counts
    }

    /// Instructions now, over all vCPUs.
    pub fn instructions(&self) -> ByLevel {
        self.ledger.instructions(&self.snapshot())
    }
}

/// Appends the events of one execution of an instruction, tag checks apart.
pub fn add_events(word: u32, events: &mut Vec<Event>) {
    events.push(Event::Instructions);
    events.extend(decode(word).causes.iter());
}
