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
    /// How many opens have no close yet: threads, or a function that calls
    /// itself, may be in a region more than once.
    depth: u64,
    /// Counts at the outermost opening.
    start: Vec<u64>,
    iteration_start: ByLevel,
}

impl Region {
    /// All that was counted since reset.
    pub fn whole(counters: &Counters) -> Self {
        Self { opened: 1, closed: 1, counts: counters.snapshot(), ..Self::default() }
    }

    fn is_open(&self) -> bool {
        self.depth > 0
    }

    /// `now` gives the count of each slot; it is asked at the outermost opening.
    fn open(&mut self, now: impl FnOnce() -> Vec<u64>) {
        self.opened += 1;
        if !self.is_open() {
            self.start = now();
        }
        self.depth += 1;
    }

    /// A close without an open is only recorded; the reader of the counts
    /// reports it. `now` is asked at the outermost close.
    fn close(&mut self, now: impl FnOnce() -> Vec<u64>) {
        self.closed += 1;
        if self.depth == 1 {
            let start = std::mem::take(&mut self.start);
            self.add(&start, &now());
        }
        self.depth = self.depth.saturating_sub(1);
    }

    /// Slots handed out since `start` began at zero.
    fn add(&mut self, start: &[u64], end: &[u64]) {
        self.counts.resize(end.len(), 0);
        for (slot, sum) in self.counts.iter_mut().enumerate() {
            *sum += end[slot] - start.get(slot).unwrap_or(&0);
        }
    }

    fn iteration(&mut self, now: ByLevel) {
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
        let region = self.by_name.entry(name).or_default();
        region.open(|| counters.snapshot());
        if region.depth == 1 {
            region.iteration_start = counters.ledger.instructions(&region.start);
        }
    }

    pub fn close(&mut self, name: String, counters: &Counters) {
        self.by_name.entry(name).or_default().close(|| counters.snapshot());
    }

    /// Whether any region is open now.
    pub fn any_open(&self) -> bool {
        self.by_name.values().any(Region::is_open)
    }

    /// Records a call stack in every open region.
    pub fn record_stack(&mut self, frames: &[u64]) {
        for region in self.by_name.values_mut().filter(|region| region.is_open()) {
            *region.stacks.entry(frames.to_vec()).or_default() += 1;
        }
    }

    /// Ends an iteration; false if the region is not open. Costs a pass over all
    /// slots.
    pub fn iteration(&mut self, name: &str, counters: &Counters) -> bool {
        let region = self.by_name.get_mut(name).filter(|region| region.is_open());
        let open = region.is_some();
        if let Some(region) = region {
            region.iteration(counters.instructions());
        }
        open
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

    #[test]
    fn only_the_outermost_open_and_close_count() {
        let mut region = Region::default();
        region.open(|| vec![1]);
        region.open(|| panic!("open already"));
        region.close(|| panic!("one is still in it"));
        region.close(|| vec![8]);
        assert_eq!((region.counts.as_slice(), region.opened, region.closed), (&[7][..], 2, 2));
    }

    #[test]
    fn a_stray_close_is_recorded_and_counts_nothing() {
        let mut region = Region::default();
        region.close(|| panic!("nothing to count"));
        region.open(|| vec![1]);
        region.close(|| vec![3]);
        assert_eq!((region.counts.as_slice(), region.opened, region.closed), (&[2][..], 1, 2));
    }
}
