// SPDX-License-Identifier: GPL-2.0-or-later
//! Counters that callbacks add to, one set for each vCPU.
//!
//! QEMU's scoreboards are for generated code; reached through its API from a
//! callback they cost more than the callback does. These are plain memory of
//! the plugin, at addresses that never move, written by one thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::OnceLock;

use crate::ledger::Slot;

const CHUNK: usize = 4096;
/// Room for 2^28 slots, more than the memory of a host could explain.
const CHUNKS: usize = 1 << 16;

type Chunk = Box<[AtomicU64]>;

/// The counters of one vCPU, by slot.
#[derive(Debug)]
pub struct LocalCounters {
    chunks: Box<[OnceLock<Chunk>]>,
}

impl LocalCounters {
    pub fn new() -> Self {
        Self { chunks: (0..CHUNKS).map(|_| OnceLock::new()).collect() }
    }

    /// Counts one, from the thread of the vCPU these belong to.
    pub fn bump(&self, slot: Slot) {
        let chunk = self.chunks[slot / CHUNK].get_or_init(new_chunk);
        let counter = &chunk[slot % CHUNK];
        // One thread writes, so no locked instruction is needed.
        counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// Adds every count to `sums`, by slot.
    pub fn add_into(&self, sums: &mut [u64]) {
        for (chunk, part) in self.chunks.iter().zip(sums.chunks_mut(CHUNK)) {
            let Some(counters) = chunk.get() else { continue };
            for (sum, counter) in part.iter_mut().zip(counters) {
                *sum += counter.load(Ordering::Relaxed);
            }
        }
    }
}

fn new_chunk() -> Chunk {
    (0..CHUNK).map(|_| AtomicU64::new(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_slot_across_chunks() {
        let counters = LocalCounters::new();
        counters.bump(1);
        counters.bump(CHUNK + 2);
        counters.bump(CHUNK + 2);
        let mut sums = vec![10; CHUNK + 3];
        counters.add_into(&mut sums);
        assert_eq!((sums[0], sums[1], sums[CHUNK + 2]), (10, 11, 12));
    }
}
