// SPDX-License-Identifier: GPL-2.0-or-later
//! Walks of tables made here.
#![allow(clippy::decimal_bitwise_operands)] // indices of tables read best in decimal
#![allow(clippy::unnecessary_wraps)] // what a walk is compared with

use std::collections::HashMap;

use granule_events::{translate, Controls, MemoryType, PhysicalMemory, Translation};

const NORMAL: u64 = 0xff;
const NORMAL_TAGGED: u64 = 0xf0;
const DEVICE: u64 = 0x04;
/// Attribute 0 is normal, 1 tagged, 2 device.
const MAIR: u64 = NORMAL | NORMAL_TAGGED << 8 | DEVICE << 16;
const TAGGED: u64 = 1 << 2;
const ACCESS_FLAG: u64 = 1 << 10;
const TABLE: u64 = 3;
const PAGE: u64 = 3;
const BLOCK: u64 = 1;
const DS: u64 = 1 << 59;
const IPS_52: u64 = 6 << 32;
const MMU_ON: u64 = 1;

#[derive(Default)]
struct Memory(HashMap<u64, u64>);

impl PhysicalMemory for Memory {
    fn read_u64(&self, address: u64) -> Option<u64> {
        assert_eq!(address % 8, 0, "{address:#x}");
        // Tables are whole; what was not written is invalid.
        (address < 1 << 52).then(|| self.0.get(&address).copied().unwrap_or(0))
    }
}

impl Memory {
    /// Writes descriptor `index` of the table at `table`.
    fn with(mut self, table: u64, index: u64, descriptor: u64) -> Self {
        self.0.insert(table + index * 8, descriptor);
        self
    }
}

fn lower(tcr: u64, ttbr0: u64) -> Controls {
    Controls { sctlr: MMU_ON, tcr, mair: MAIR, ttbr0, ttbr1: 0 }
}

fn upper(tcr: u64, ttbr1: u64) -> Controls {
    Controls { sctlr: MMU_ON, tcr, mair: MAIR, ttbr0: 0, ttbr1 }
}

fn tagged(physical: u64, page_bits: u32) -> Option<Translation> {
    Some(Translation { physical, page_bits, memory: MemoryType::NormalTagged })
}

fn other(physical: u64, page_bits: u32) -> Option<Translation> {
    Some(Translation { physical, page_bits, memory: MemoryType::Other })
}

/// 4 KiB, 48 bits: indices of levels 0 to 3 are 1, 2, 3, 4.
const VA_4K: u64 = 1 << 39 | 2 << 30 | 3 << 21 | 4 << 12 | 0x678;

fn tables_4k() -> Memory {
    Memory::default()
        .with(0x4000_0000, 1, 0x4000_1000 | TABLE)
        .with(0x4000_1000, 2, 0x4000_2000 | TABLE)
        .with(0x4000_2000, 3, 0x4000_3000 | TABLE)
        .with(0x4000_3000, 4, 0x1_2345_6000 | TAGGED | ACCESS_FLAG | PAGE)
        .with(0x4000_3000, 5, 0x1_2345_7000 | ACCESS_FLAG | PAGE)
        .with(0x4000_3000, 6, 0x1_2345_8000 | TAGGED | BLOCK)
        .with(0x4000_2000, 4, 0x8020_0000 | TAGGED | BLOCK)
        .with(0x4000_1000, 3, 0xc000_0000 | 2 << 2 | BLOCK)
        .with(0x4000_0000, 2, 0x4000_0000 | TAGGED | BLOCK)
}

#[test]
fn pages_of_4k_with_48_bits() {
    let controls = lower(16, 0x4000_0000);
    let memory = tables_4k();
    assert_eq!(translate(VA_4K, &controls, &memory), tagged(0x1_2345_6678, 12));
    assert_eq!(translate(VA_4K + 0x1000, &controls, &memory), other(0x1_2345_7678, 12));
    assert_eq!(translate(VA_4K + 0x3000, &controls, &memory), None, "invalid");
}

#[test]
fn blocks_of_4k() {
    let controls = lower(16, 0x4000_0000);
    let memory = tables_4k();
    let at = |l0: u64, l1: u64, l2: u64| l0 << 39 | l1 << 30 | l2 << 21 | 0x1_2344;
    assert_eq!(translate(at(1, 2, 4), &controls, &memory), tagged(0x8021_2344, 21));
    assert_eq!(translate(at(1, 3, 5), &controls, &memory), other(0xc0a1_2344, 30));
    // Blocks of 512 GiB need LPA2; a block as a page descriptor is reserved.
    assert_eq!(translate(at(2, 0, 0), &controls, &memory), None);
    assert_eq!(translate(VA_4K + 0x2000, &controls, &memory), None);
}

#[test]
fn attribute_and_asid_bits_are_no_address() {
    let memory = Memory::default()
        .with(0x4000_0000, 1, 0x4000_1000 | TABLE | 0x1f << 59)
        .with(0x4000_1000, 2, 0x4000_2000 | TABLE)
        .with(0x4000_2000, 3, 0x4000_3000 | TABLE)
        .with(0x4000_3000, 4, 0x0078_0001_2345_6f40 | TAGGED | PAGE);
    let controls = lower(16, 0x4000_0000 | 0x1234 << 48 | 1);
    assert_eq!(translate(VA_4K, &controls, &memory), tagged(0x1_2345_6678, 12));
}

#[test]
fn bit_55_chooses_the_tables() {
    const TG1_4K: u64 = 2 << 30;
    let memory = tables_4k();
    let kernel = VA_4K | 0xffff << 48;
    let controls = upper(TG1_4K | 16 << 16 | 16, 0x4000_0000);
    assert_eq!(translate(kernel, &controls, &memory), tagged(0x1_2345_6678, 12));
    assert_eq!(translate(VA_4K, &controls, &memory), None, "no table at 0");
}

#[test]
fn top_bits_have_to_extend_bit_55_unless_ignored() {
    const TBI0: u64 = 1 << 37;
    let memory = tables_4k();
    let with_tag = VA_4K | 0xa5 << 56;
    assert_eq!(translate(with_tag, &lower(16, 0x4000_0000), &memory), None);
    let ignoring = lower(16 | TBI0, 0x4000_0000);
    assert_eq!(translate(with_tag, &ignoring, &memory), tagged(0x1_2345_6678, 12));
    assert_eq!(translate(with_tag | 1 << 50, &ignoring, &memory), None);
}

#[test]
fn walks_can_be_disabled() {
    const EPD0: u64 = 1 << 7;
    assert_eq!(translate(VA_4K, &lower(16 | EPD0, 0x4000_0000), &tables_4k()), None);
}

#[test]
fn pages_of_4k_with_39_bits_start_at_level_1() {
    let memory = Memory::default()
        .with(0x4000_0000, 2, 0x4000_2000 | TABLE)
        .with(0x4000_2000, 3, 0x4000_3000 | TABLE)
        .with(0x4000_3000, 4, 0x8000_0000 | TAGGED | PAGE);
    let va = VA_4K & !(1 << 39);
    assert_eq!(translate(va, &lower(25, 0x4000_0000), &memory), tagged(0x8000_0678, 12));
    assert_eq!(translate(VA_4K, &lower(25, 0x4000_0000), &memory), None, "beyond 39 bits");
}

#[test]
fn a_small_first_table_is_aligned_to_its_size() {
    // 42 bits: level 0 resolves 3 bits, 64 bytes.
    let memory = Memory::default().with(0x4000_0040, 7, 0x4000_1000 | TABLE).with(
        0x4000_1000,
        0,
        0x4000_0000 | TAGGED | BLOCK,
    );
    let va = 7 << 39;
    assert_eq!(translate(va, &lower(22, 0x4000_0040), &memory), tagged(0x4000_0000, 30));
}

#[test]
fn pages_of_4k_with_52_bits_start_at_level_minus_1() {
    // Output address bits 51 and 50 are bits 9 and 8 of the descriptor.
    let memory = Memory::default()
        .with(0x0003_0000_4000_0000, 5, 0x4000_0000 | 2 << 8 | TABLE)
        .with(0x0008_0000_4000_0000, 1, 0x4000_1000 | TABLE)
        .with(0x4000_1000, 2, 0x4000_2000 | TABLE)
        .with(0x4000_2000, 3, 0x4000_3000 | TABLE)
        .with(0x4000_3000, 4, 0x0003_4000_0000_0000 | 3 << 8 | TAGGED | PAGE)
        .with(0x0008_0000_4000_0000, 2, 0x0080_0000_0000 | TAGGED | BLOCK);
    let controls = lower(12 | DS, 0x4000_0000 | 3 << 2);
    let va = 5 << 48 | VA_4K;
    assert_eq!(translate(va, &controls, &memory), tagged(0x000f_4000_0000_0678, 12));
    let block = 5 << 48 | 2 << 39 | 0x1234;
    assert_eq!(translate(block, &controls, &memory), tagged(0x0080_0000_1234, 39));
    assert_eq!(translate(va, &lower(12, 0x4000_0000), &memory), None, "52 bits need DS");
}

#[test]
fn pages_of_16k() {
    const TG0_16K: u64 = 2 << 14;
    // 47 bits: level 1 first, 11 bits each.
    let memory = Memory::default()
        .with(0x4000_0000, 1, 0x4000_4000 | TABLE)
        .with(0x4000_4000, 2, 0x4000_8000 | TABLE)
        .with(0x4000_8000, 3, 0x8000_c000 | TAGGED | PAGE)
        .with(0x4000_4000, 3, 0x8200_0000 | BLOCK)
        .with(0x4000_0000, 2, 0x10_0000_0000 | TAGGED | BLOCK);
    let controls = lower(17 | TG0_16K, 0x4000_0000);
    let va = 1 << 36 | 2 << 25 | 3 << 14 | 0x3abc;
    assert_eq!(translate(va, &controls, &memory), tagged(0x8000_fabc, 14));
    let block = 1 << 36 | 3 << 25 | 0x1ab_cdef;
    assert_eq!(translate(block, &controls, &memory), other(0x83ab_cdef, 25));
    assert_eq!(translate(2 << 36, &controls, &memory), None, "64 GiB blocks need LPA2");
    let with_ds = lower(17 | TG0_16K | DS, 0x4000_0000);
    assert_eq!(translate(2 << 36 | 5, &with_ds, &memory), tagged(0x10_0000_0005, 36));
}

#[test]
fn pages_of_16k_with_52_bits() {
    const TG0_16K: u64 = 2 << 14;
    let memory = Memory::default()
        .with(0x4000_0000, 31, 0x4000_4000 | TABLE)
        .with(0x4000_4000, 1, 0x4000_8000 | TABLE)
        .with(0x4000_8000, 2, 0x4000_c000 | TABLE)
        .with(0x4000_c000, 3, 0x8000_0000 | 1 << 8 | TAGGED | PAGE);
    let va = 31 << 47 | 1 << 36 | 2 << 25 | 3 << 14;
    let controls = lower(12 | TG0_16K | DS, 0x4000_0000);
    assert_eq!(translate(va, &controls, &memory), tagged(0x0004_0000_8000_0000, 14));
}

#[test]
fn pages_of_64k_with_52_bits() {
    const TG1_64K: u64 = 3 << 30;
    // Level 1 first, 10 bits, then 13 and 13. Descriptor bits 15 to 12 are 51 to
    // 48 of the address.
    let memory = Memory::default()
        .with(0x0002_0000_4000_0000, 0x3ff, 0x4001_0000 | 1 << 12 | TABLE)
        .with(0x0001_0000_4001_0000, 2, 0x4002_0000 | TABLE)
        .with(0x4002_0000, 3, 0x8000_0000 | 0xf << 12 | TAGGED | PAGE)
        .with(0x0001_0000_4001_0000, 3, 0x2000_0000 | TAGGED | BLOCK)
        .with(0x0002_0000_4000_0000, 0x3fe, 0x0400_0000_0000 | BLOCK);
    let controls = upper(12 << 16 | TG1_64K | IPS_52, 0x4000_0000 | 2 << 2);
    let top = 0xfff0_0000_0000_0000 | 0x3ff << 42;
    let page = top | 2 << 29 | 3 << 16 | 0xabcd;
    assert_eq!(translate(page, &controls, &memory), tagged(0x000f_0000_8000_abcd, 16));
    let block = top | 3 << 29 | 0x123_4567;
    assert_eq!(translate(block, &controls, &memory), tagged(0x2123_4567, 29));
    let large = 0xfff0_0000_0000_0000 | 0x3fe << 42 | 7;
    assert_eq!(translate(large, &controls, &memory), other(0x0400_0000_0007, 42));
}

#[test]
fn pages_of_64k_with_48_bits() {
    const TG0_64K: u64 = 1 << 14;
    // 42 bits: level 2 first.
    let memory = Memory::default().with(0x4000_0000, 0x1fff, 0x4001_0000 | TABLE).with(
        0x4001_0000,
        1,
        0x8000_0000 | TAGGED | PAGE,
    );
    let va = 0x1fff << 29 | 1 << 16 | 0xffff;
    let controls = lower(22 | TG0_64K, 0x4000_0000);
    assert_eq!(translate(va, &controls, &memory), tagged(0x8000_ffff, 16));
}

#[test]
fn sizes_out_of_bounds_map_nothing() {
    for size_offset in [0, 11, 15, 49, 63] {
        assert_eq!(translate(0, &lower(size_offset, 0x4000_0000), &tables_4k()), None);
    }
}

#[test]
fn a_reserved_granule_maps_nothing() {
    assert_eq!(translate(VA_4K, &lower(16 | 3 << 14, 0x4000_0000), &tables_4k()), None);
}

#[test]
fn tables_outside_memory_map_nothing() {
    struct Nothing;
    impl PhysicalMemory for Nothing {
        fn read_u64(&self, _: u64) -> Option<u64> {
            None
        }
    }
    assert_eq!(translate(VA_4K, &lower(16, 0x4000_0000), &Nothing), None);
}

#[test]
fn without_the_mmu_addresses_are_physical_and_untagged() {
    let controls = Controls { sctlr: 0, ..lower(16, 0) };
    assert_eq!(translate(0x4000_1234, &controls, &Memory::default()), other(0x4000_1234, 12));
}

#[test]
fn every_size_of_the_lower_range_ends() {
    for granule in [0, 1, 2] {
        for size_offset in 0..64 {
            for ds in [0, DS] {
                let controls = lower(size_offset | granule << 14 | ds, 0x4000_0000);
                assert_eq!(translate(0x1000, &controls, &Memory::default()), None);
            }
        }
    }
}
