// SPDX-License-Identifier: GPL-2.0-or-later
//! Regions of interest: the counts between two marks.

use std::collections::BTreeMap;

use crate::counters::Counters;
use crate::ledger::ByLevel;

/// Counts of one named region.
#[derive(Debug, Default)]
pub struct Region {
    pub opened: u64,
    pub closed: u64,
    /// Count of each slot between the marks, over all passes.
    pub counts: Vec<u64>,
    /// Instructions of each iteration.
    pub iterations: Vec<ByLevel>,
    /// How often each call stack was seen; the empty stack is user space.
    pub stacks: BTreeMap<Vec<u64>, u64>,
    /// Counts at the last opening, while open.
    start: Option<Vec<u64>>,
    iteration_start: ByLevel,
}

impl Region {
    /// All that was counted since reset.
    pub fn whole(counters: &Counters) -> Self {
        Self { opened: 1, closed: 1, counts: counters.snapshot(), ..Self::default() }
    }

    fn open(&mut self, counters: &Counters) {
        let now = counters.snapshot();
        self.opened += 1;
        self.iteration_start = counters.ledger.instructions(&now);
        self.start = Some(now);
    }

    fn close(&mut self, counters: &Counters) {
        self.closed += 1;
        if let Some(start) = self.start.take() {
            self.add(&start, &counters.snapshot());
        }
    }

    /// Slots handed out since `start` began at zero.
    fn add(&mut self, start: &[u64], end: &[u64]) {
        self.counts.resize(end.len(), 0);
        for (slot, sum) in self.counts.iter_mut().enumerate() {
            *sum += end[slot] - start.get(slot).unwrap_or(&0);
        }
    }

    fn iteration(&mut self, counters: &Counters) {
        let now = counters.instructions();
        let before = std::mem::replace(&mut self.iteration_start, now);
        self.iterations.push(ByLevel { u: now.u - before.u, k: now.k - before.k });
    }
}

/// All regions by name.
#[derive(Debug, Default)]
pub struct Regions {
    pub by_name: BTreeMap<String, Region>,
}

impl Regions {
    pub fn open(&mut self, name: String, counters: &Counters) {
        self.by_name.entry(name).or_default().open(counters);
    }

    /// A close without an open is recorded as such; the reader of the counts
    /// reports it.
    pub fn close(&mut self, name: String, counters: &Counters) {
        self.by_name.entry(name).or_default().close(counters);
    }

    /// Whether any region is open now.
    pub fn any_open(&self) -> bool {
        self.by_name.values().any(|region| region.start.is_some())
    }

    /// Records a call stack in every open region.
    pub fn record_stack(&mut self, frames: &[u64]) {
        for region in self.by_name.values_mut().filter(|region| region.start.is_some()) {
            *region.stacks.entry(frames.to_vec()).or_default() += 1;
        }
    }

    pub fn iteration(&mut self, name: String, counters: &Counters) {
        self.by_name.entry(name).or_default().iteration(counters);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_accumulate_and_late_slots_start_at_zero() {
        let mut region = Region::default();
        region.add(&[10, 5], &[12, 5]);
        region.add(&[20, 5], &[21, 6, 3]);
        assert_eq!(region.counts, [3, 1, 3]);
    }
}
