// SPDX-License-Identifier: GPL-2.0-or-later
//! A cache of memory types by page: the plugin's own TLB.
//!
//! It may hold whatever the architecture lets a TLB hold: valid entries, until
//! a TLBI. A change of a valid entry's memory type needs break-before-make
//! (Arm ARM, "TLB maintenance requirements and the TLB maintenance
//! instructions"), so dropping everything at each TLBI, on any vCPU, is enough.
//! Translations that fail are not kept, as no TLBI follows when one becomes
//! valid.

use granule_events::MemoryType;

const ENTRIES: usize = 4096;
/// Smallest page of the architecture.
pub const PAGE_BITS: u32 = 12;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Key {
    page: u64,
    /// `TTBR0_EL1` for an address of the lower range, 0 for the upper.
    space: u64,
    generation: u64,
}

/// Direct-mapped cache of one vCPU.
#[derive(Debug)]
pub struct PageCache {
    entries: Vec<Option<(Key, MemoryType)>>,
}

impl PageCache {
    pub fn new() -> Self {
        Self { entries: vec![None; ENTRIES] }
    }

    /// The memory type of the page that holds `address`, from the cache, else
    /// from `walk`. `generation` changes at each TLBI.
    pub fn memory_type(
        &mut self,
        address: u64,
        ttbr0: u64,
        generation: u64,
        walk: impl FnOnce() -> Option<MemoryType>,
    ) -> Option<MemoryType> {
        let key = key(address, ttbr0, generation);
        let entry = &mut self.entries[index(&key)];
        match *entry {
            Some((cached, memory)) if cached == key => Some(memory),
            _ => {
                let memory = walk()?;
                *entry = Some((key, memory));
                Some(memory)
            }
        }
    }
}

fn key(address: u64, ttbr0: u64, generation: u64) -> Key {
    let upper = address >> 55 & 1 == 1;
    // The top byte is a tag or a sign extension; bit 55 alone names the range.
    let page = (address << 8 >> 8) >> PAGE_BITS;
    Key { page, space: if upper { 0 } else { ttbr0 }, generation }
}

#[allow(clippy::cast_possible_truncation)] // the mask keeps it below ENTRIES
fn index(key: &Key) -> usize {
    (key.page ^ key.page >> 12) as usize & (ENTRIES - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn never() -> Option<MemoryType> {
        panic!("walked although the page is cached")
    }

    #[test]
    fn keeps_a_page_until_a_tlbi() {
        let mut cache = PageCache::new();
        let tagged = || Some(MemoryType::NormalTagged);
        assert_eq!(cache.memory_type(0x1234, 7, 0, tagged), tagged());
        assert_eq!(cache.memory_type(0x1ff8, 7, 0, never), tagged());
        let other = || Some(MemoryType::Other);
        assert_eq!(cache.memory_type(0x1234, 7, 1, other), other());
    }

    #[test]
    fn the_tag_byte_does_not_matter() {
        let mut cache = PageCache::new();
        let tagged = || Some(MemoryType::NormalTagged);
        cache.memory_type(0xf0ff_8000_0000_1000, 7, 0, tagged);
        assert_eq!(cache.memory_type(0xffff_8000_0000_1000, 9, 0, never), tagged());
    }

    #[test]
    fn an_address_space_has_its_own_lower_range() {
        let mut cache = PageCache::new();
        cache.memory_type(0x1000, 7, 0, || Some(MemoryType::NormalTagged));
        let other = || Some(MemoryType::Other);
        assert_eq!(cache.memory_type(0x1000, 8, 0, other), other());
    }

    #[test]
    fn a_failed_walk_is_tried_again() {
        let mut cache = PageCache::new();
        assert_eq!(cache.memory_type(0x1000, 7, 0, || None), None);
        let other = || Some(MemoryType::Other);
        assert_eq!(cache.memory_type(0x1000, 7, 0, other), other());
    }
}
