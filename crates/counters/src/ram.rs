// SPDX-License-Identifier: GPL-2.0-or-later
//! The guest's RAM, found in this very process.
//!
//! Whether a page is Normal Tagged is written in the guest's page tables, and
//! plugin API 4 cannot read guest-physical memory. The plugin runs inside
//! QEMU, though, and QEMU was started with a memfd behind the guest's RAM
//! (`-object memory-backend-memfd,id=ram,…,share=on`), so `/proc/self/maps`
//! says where it is.

use std::sync::atomic::{AtomicU64, Ordering};

use granule_events::PhysicalMemory;

/// Where the `virt` machine puts its RAM.
const RAM_BASE: u64 = 0x4000_0000;
/// The name QEMU gives to the memfd of a `memory-backend-memfd`.
const MEMFD: &str = "/memfd:memory-backend-memfd";

/// A window on the guest's RAM.
#[derive(Debug)]
pub struct Ram {
    start: *const AtomicU64,
    bytes: u64,
}

// SAFETY: the mapping is shared memory, read through atomics only.
unsafe impl Send for Ram {}
// SAFETY: as above.
unsafe impl Sync for Ram {}

impl Ram {
    /// Finds the guest's RAM among the mappings of this process.
    ///
    /// # Errors
    /// One sentence, when QEMU was started without the memfd.
    pub fn find() -> Result<Self, String> {
        let maps = std::fs::read_to_string("/proc/self/maps").map_err(|error| error.to_string())?;
        let (start, end) = mapping(&maps).ok_or(
            "granule-counters: the guest's RAM is not a memfd; start QEMU with \
             -object memory-backend-memfd,id=ram,size=SIZE,share=on and -M …,memory-backend=ram",
        )?;
        Ok(Self { start: std::ptr::with_exposed_provenance(start), bytes: (end - start) as u64 })
    }
}

impl PhysicalMemory for Ram {
    fn read_u64(&self, address: u64) -> Option<u64> {
        let offset = address.checked_sub(RAM_BASE)?;
        if offset % 8 != 0 || offset >= self.bytes {
            return None;
        }
        // SAFETY: offset is inside the mapping, which QEMU keeps for the life
        // of the machine, and aligned; the guest writes concurrently, hence the
        // atomic load.
        let word = unsafe { &*self.start.byte_add(usize::try_from(offset).ok()?) };
        Some(u64::from_le(word.load(Ordering::Relaxed)))
    }
}

/// Start and end of the memfd in the text of a maps file. Linux may show one
/// mapping as several lines that touch (their flags differ).
fn mapping(maps: &str) -> Option<(usize, usize)> {
    let mut lines = maps.lines().filter(|line| line.contains(MEMFD)).filter_map(range);
    let (start, mut end) = lines.next()?;
    for (next_start, next_end) in lines {
        if next_start != end {
            return None;
        }
        end = next_end;
    }
    Some((start, end))
}

fn range(line: &str) -> Option<(usize, usize)> {
    let (start, end) = line.split_once(' ')?.0.split_once('-')?;
    Some((usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
55d8c1a00000-55d8c1e4e000 r--p 00000000 fe:00 1234 /usr/bin/qemu-system-aarch64
7f3a40000000-7f3ac0000000 rw-s 00000000 00:01 2058 /memfd:memory-backend-memfd (deleted)
7f3acb000000-7f3acb021000 rw-p 00000000 00:00 0
";

    #[test]
    fn finds_the_memfd() {
        assert_eq!(mapping(MAPS), Some((0x7f3a_4000_0000, 0x7f3a_c000_0000)));
    }

    #[test]
    fn joins_lines_that_touch() {
        let maps = "1000-2000 rw-s 0 00:01 1 /memfd:memory-backend-memfd (deleted)\n\
                    2000-9000 rw-s 1000 00:01 1 /memfd:memory-backend-memfd (deleted)\n";
        assert_eq!(mapping(maps), Some((0x1000, 0x9000)));
    }

    #[test]
    fn says_nothing_where_there_is_none() {
        assert_eq!(mapping("7f3acb000000-7f3acb021000 rw-p 00000000 00:00 0\n"), None);
    }
}
