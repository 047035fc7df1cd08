// SPDX-License-Identifier: GPL-2.0-or-later
//! The ledger: what each counter slot stands for, and what a set of counter
//! values adds up to.
//!
//! The generated code only ever adds one to a slot. What a slot means, a
//! stretch of instructions, a tag-checked access, an exception, or the
//! instruction an exception took back, is written here once, when the slot is
//! handed out. So totals by event, by exception level and by place are all
//! sums over the same slots, and cannot disagree.

use std::collections::{BTreeMap, HashMap};

use granule_events::{Event, ExceptionLevel};

/// Index of a slot, in the order they were handed out.
pub type Slot = usize;

/// How a slot's count enters a total.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sense {
    /// The events happened.
    Adds,
    /// The events were counted when their instruction started, and the
    /// instruction did not complete.
    TakesBack,
}

/// What one count of a slot stands for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Meaning {
    /// Exception level at which the events happen.
    pub el: ExceptionLevel,
    /// Virtual address of the (first) instruction; for an exception, of the vector.
    pub pc: u64,
    pub sense: Sense,
    /// The events, each as often as it happens in one count.
    pub events: Vec<Event>,
}

impl Meaning {
    fn signed(&self, count: u64) -> i64 {
        let count = i64::try_from(count).expect("a slot counts less than 2^63 events");
        match self.sense {
            Sense::Adds => count,
            Sense::TakesBack => -count,
        }
    }

    fn instructions(&self) -> usize {
        self.events.iter().filter(|event| **event == Event::Instructions).count()
    }
}

/// Counts of one event at EL0 (`u`) and at EL1 (`k`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct ByLevel {
    pub u: i64,
    pub k: i64,
}

impl ByLevel {
    pub fn add(&mut self, el: ExceptionLevel, count: i64) {
        match el {
            ExceptionLevel::El0 => self.u += count,
            ExceptionLevel::El1 => self.k += count,
        }
    }
}

/// Events at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub el: ExceptionLevel,
    pub pc: u64,
    pub events: BTreeMap<Event, i64>,
}

/// The meanings of all slots.
#[derive(Debug, Default)]
pub struct Ledger {
    meanings: Vec<Meaning>,
    known: HashMap<Meaning, Slot>,
    /// Instructions per count of each slot, at EL0 and EL1: an iteration mark
    /// must be cheap, and this makes it two dot products.
    instructions: Vec<[i32; 2]>,
}

impl Ledger {
    /// The slot for a meaning. QEMU translates the same code again and again
    /// (after a flush, with another length under icount); an equal meaning
    /// gets the slot it had before.
    pub fn slot(&mut self, meaning: Meaning) -> Slot {
        if let Some(&slot) = self.known.get(&meaning) {
            return slot;
        }
        let slot = self.meanings.len();
        self.instructions.push(instructions_by_level(&meaning));
        self.meanings.push(meaning.clone());
        self.known.insert(meaning, slot);
        slot
    }

    /// Number of slots handed out.
    #[must_use]
    pub fn len(&self) -> usize {
        self.meanings.len()
    }

    /// Total of each event over `counts`, one count per slot.
    #[must_use]
    pub fn totals(&self, counts: &[u64]) -> BTreeMap<Event, ByLevel> {
        let mut totals = BTreeMap::<Event, ByLevel>::new();
        for (meaning, count) in self.counted(counts) {
            for event in &meaning.events {
                totals.entry(*event).or_default().add(meaning.el, count);
            }
        }
        totals
    }

    /// The same counts by address.
    #[must_use]
    pub fn places(&self, counts: &[u64]) -> Vec<Place> {
        let mut places = BTreeMap::<(u64, bool), Place>::new();
        for (meaning, count) in self.counted(counts) {
            let place =
                places.entry((meaning.pc, meaning.el == ExceptionLevel::El1)).or_insert_with(
                    || Place { el: meaning.el, pc: meaning.pc, events: BTreeMap::new() },
                );
            for event in &meaning.events {
                *place.events.entry(*event).or_default() += count;
            }
        }
        places.into_values().collect()
    }

    /// Instructions alone, at EL0 and EL1.
    #[must_use]
    pub fn instructions(&self, counts: &[u64]) -> ByLevel {
        let mut sums = [0i64; 2];
        for (weight, count) in self.instructions.iter().zip(counts) {
            let count = count.cast_signed();
            sums[0] += i64::from(weight[0]) * count;
            sums[1] += i64::from(weight[1]) * count;
        }
        ByLevel { u: sums[0], k: sums[1] }
    }

    fn counted<'a>(&'a self, counts: &'a [u64]) -> impl Iterator<Item = (&'a Meaning, i64)> {
        self.meanings
            .iter()
            .zip(counts)
            .filter(|(_, count)| **count != 0)
            .map(|(meaning, count)| (meaning, meaning.signed(*count)))
    }
}

fn instructions_by_level(meaning: &Meaning) -> [i32; 2] {
    let count = i32::try_from(meaning.instructions()).expect("a block is short");
    let signed = if meaning.sense == Sense::Adds { count } else { -count };
    match meaning.el {
        ExceptionLevel::El0 => [signed, 0],
        ExceptionLevel::El1 => [0, signed],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meaning(el: ExceptionLevel, sense: Sense, events: &[Event]) -> Meaning {
        Meaning { el, pc: 0x1000, sense, events: events.to_vec() }
    }

    #[test]
    fn an_equal_meaning_keeps_its_slot() {
        let mut ledger = Ledger::default();
        let first = ledger.slot(meaning(ExceptionLevel::El1, Sense::Adds, &[Event::Isb]));
        let other = ledger.slot(meaning(ExceptionLevel::El0, Sense::Adds, &[Event::Isb]));
        assert_ne!(first, other);
        assert_eq!(ledger.slot(meaning(ExceptionLevel::El1, Sense::Adds, &[Event::Isb])), first);
        assert_eq!(ledger.len(), 2);
    }

    #[test]
    fn an_instruction_taken_back_is_not_counted() {
        let mut ledger = Ledger::default();
        let load = [Event::Instructions, Event::MemAccessRd];
        ledger.slot(meaning(ExceptionLevel::El0, Sense::Adds, &load));
        ledger.slot(meaning(ExceptionLevel::El0, Sense::TakesBack, &load));
        let totals = ledger.totals(&[10, 3]);
        assert_eq!(totals[&Event::Instructions], ByLevel { u: 7, k: 0 });
        assert_eq!(totals[&Event::MemAccessRd], ByLevel { u: 7, k: 0 });
        assert_eq!(ledger.instructions(&[10, 3]), ByLevel { u: 7, k: 0 });
    }

    #[test]
    fn places_and_totals_agree() {
        let mut ledger = Ledger::default();
        let pair = [Event::Instructions, Event::Instructions, Event::Svc];
        ledger.slot(meaning(ExceptionLevel::El0, Sense::Adds, &pair));
        ledger.slot(meaning(ExceptionLevel::El1, Sense::Adds, &[Event::Instructions]));
        let places = ledger.places(&[5, 2]);
        let sum: i64 = places.iter().map(|place| place.events[&Event::Instructions]).sum();
        assert_eq!(sum, 12);
        assert_eq!(places.len(), 2, "one address at two levels is two places");
    }
}
