// SPDX-License-Identifier: GPL-2.0-or-later
//! A sign of life for whoever watches the machine: a file of eight bytes, a
//! little-endian counter of exceptions taken.
//!
//! A guest that works takes timer interrupts, system calls or faults; one that
//! spins with interrupts off, or stopped, takes none.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Exceptions between two writes of the file: a write is a system call, and a
/// busy guest takes hundreds of thousands of exceptions a second.
const INTERVAL: u64 = 256;

#[derive(Debug)]
pub struct Heartbeat {
    file: Option<File>,
    beats: AtomicU64,
}

impl Heartbeat {
    /// # Errors
    /// One sentence, when the file cannot be written.
    pub fn open(path: Option<&Path>) -> Result<Self, String> {
        let file = path.map(create).transpose()?;
        Ok(Self { file, beats: AtomicU64::new(0) })
    }

    /// Counts one exception.
    pub fn beat(&self) {
        let beats = self.beats.fetch_add(1, Ordering::Relaxed) + 1;
        if let (Some(file), 0) = (&self.file, beats % INTERVAL) {
            // A watcher that misses one write sees the next.
            let _ = file.write_all_at(&beats.to_le_bytes(), 0);
        }
    }
}

fn create(path: &Path) -> Result<File, String> {
    let fail = |error| format!("granule-counters: cannot write {}: {error}", path.display());
    let file = File::create(path).map_err(fail)?;
    file.write_all_at(&[0; 8], 0).map_err(fail)?;
    Ok(file)
}
