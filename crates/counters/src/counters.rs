// SPDX-License-Identifier: GPL-2.0-or-later
//! Where the counts are: one 64-bit counter for each slot and vCPU, either in
//! scoreboards that generated code adds to, or in memory that callbacks add to.

use std::sync::Arc;

use granule_events::{decode, Event, ExceptionKind, ExceptionLevel};

use crate::ledger::{ByLevel, Ledger, Meaning, Sense, Slot};
use crate::local::LocalCounters;
use crate::qemu::{self, PerVcpu, Scoreboard};

/// Slots in one scoreboard. QEMU allocates room for at least 16 vCPUs, so a
/// scoreboard takes 2 MiB or more.
const CHUNK: usize = 16 * 1024;

/// All counters, and the ledger that says what they mean. A slot is counted by
/// generated code or by callbacks; the place it does not use stays zero.
#[derive(Debug, Default)]
pub struct Counters {
    pub ledger: Ledger,
    inline: Vec<Scoreboard>,
    local: Vec<Arc<LocalCounters>>,
}

impl Counters {
    /// The counter for a meaning, for generated code to add to.
    pub fn inline(&mut self, meaning: Meaning) -> PerVcpu {
        let slot = self.ledger.slot(meaning);
        while self.inline.len() <= slot / CHUNK {
            self.inline.push(Scoreboard::new(CHUNK));
        }
        self.inline[slot / CHUNK].value(slot % CHUNK)
    }

    /// The counters of one more vCPU, for its callbacks to add to.
    pub fn add_vcpu(&mut self) -> Arc<LocalCounters> {
        let counters = Arc::new(LocalCounters::new());
        self.local.push(Arc::clone(&counters));
        counters
    }

    /// The slot of an exception taken from `from` through the vector at `pc`.
    pub fn exception(&mut self, kind: ExceptionKind, from: ExceptionLevel, pc: u64) -> Slot {
        let events = vec![Event::Exception(kind)];
        self.ledger.slot(Meaning { el: from, pc, sense: Sense::Adds, events })
    }

    /// The slot that takes back an instruction that started and did not complete.
    pub fn not_completed(&mut self, el: ExceptionLevel, pc: u64, word: u32) -> Slot {
        let mut events = Vec::new();
        add_events(word, &mut events);
        self.ledger.slot(Meaning { el, pc, sense: Sense::TakesBack, events })
    }

    /// Every slot's count now, over all vCPUs.
    pub fn snapshot(&self) -> Vec<u64> {
        let mut counts = vec![0; self.ledger.len()];
        for (board, part) in self.inline.iter().zip(counts.chunks_mut(CHUNK)) {
            for vcpu in 0..qemu::vcpus() {
                board.add_into(vcpu, part);
            }
        }
        for local in &self.local {
            local.add_into(&mut counts);
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
