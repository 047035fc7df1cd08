// SPDX-License-Identifier: GPL-2.0-or-later
//! Stage 1 translation of the EL1&0 regime, as far as memory types need it.

use crate::check::{is_upper, Controls, MemoryType};

/// Guest-physical memory.
pub trait PhysicalMemory {
    /// The little-endian doubleword at an address that is a multiple of 8;
    /// `None` where there is no memory.
    fn read_u64(&self, address: u64) -> Option<u64>;
}

/// Result of a translation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Translation {
    /// Physical address.
    pub physical: u64,
    /// log2 of the bytes that the leaf descriptor maps (12 for a 4 KiB page, 21
    /// for a 2 MiB block).
    pub page_bits: u32,
    /// Type of the memory.
    pub memory: MemoryType,
}

/// Translates a virtual address (Arm ARM, "The `AArch64` Virtual Memory System
/// Architecture", `AArch64.S1Walk`).
///
/// Permissions, the access flag and the dirty state are not looked at: an access
/// that fails for those is no access. `None` if no valid descriptor maps the
/// address. With the MMU off, addresses are physical and no memory is tagged.
///
/// Covers granules of 4, 16 and 64 KiB, 52-bit addresses (`FEAT_LVA`,
/// `FEAT_LPA`, `FEAT_LPA2`), small tables (`FEAT_TTST`) and top byte ignore; not
/// 128-bit descriptors (`FEAT_D128`).
pub fn translate(
    va: u64,
    controls: &Controls,
    memory: &impl PhysicalMemory,
) -> Option<Translation> {
    const SCTLR_M: u64 = 1;
    if controls.sctlr & SCTLR_M == 0 {
        return Some(Translation { physical: va, page_bits: 12, memory: MemoryType::Other });
    }
    Regime::of(va, controls)?.walk(va, controls, memory)
}

/// Size of a translation granule.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Granule {
    K4,
    K16,
    K64,
}

impl Granule {
    /// From `TCR_EL1.TG0` or TG1, which encode it differently.
    const fn of(tcr: u64, upper: bool) -> Option<Self> {
        match (upper, if upper { tcr >> 30 & 3 } else { tcr >> 14 & 3 }) {
            (false, 0) | (true, 2) => Some(Self::K4),
            (false, 2) | (true, 1) => Some(Self::K16),
            (false, 1) | (true, 3) => Some(Self::K64),
            _ => None,
        }
    }

    /// log2 of its bytes.
    const fn bits(self) -> u32 {
        match self {
            Self::K4 => 12,
            Self::K16 => 14,
            Self::K64 => 16,
        }
    }

    /// log2 of the descriptors in a table of one granule.
    const fn stride(self) -> u32 {
        self.bits() - 3
    }
}

/// How addresses and descriptors hold an output address of 52 bits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wide {
    /// They do not: 48 bits.
    No,
    /// 64 KiB granule, `FEAT_LPA`: bits 15 to 12 are 51 to 48 of the address.
    Lpa,
    /// 4 or 16 KiB granule, `FEAT_LPA2`: bits 9 and 8 are 51 and 50.
    Lpa2,
}

/// What TCR and TTBR say about one range of addresses.
struct Regime {
    granule: Granule,
    wide: Wide,
    /// Bits of the addresses that tables resolve.
    input_bits: u32,
    ttbr: u64,
}

impl Regime {
    /// `None` if walks are disabled, the size is out of bounds, or the address
    /// is outside the range.
    fn of(va: u64, controls: &Controls) -> Option<Self> {
        let (tcr, upper) = (controls.tcr, is_upper(va));
        let (shift, ttbr) = if upper { (16, controls.ttbr1) } else { (0, controls.ttbr0) };
        let walks_disabled = tcr >> (7 + shift) & 1 == 1;
        let granule = Granule::of(tcr, upper)?;
        let wide = wide(tcr, granule);
        let size_offset = (tcr >> shift & 0x3f) as u32;
        let regime = Self { granule, wide, input_bits: 64 - size_offset, ttbr };
        let valid = !walks_disabled && regime.size_is_valid() && regime.holds(va, controls);
        valid.then_some(regime)
    }

    /// Bounds of T0SZ and T1SZ with `FEAT_LVA` and `FEAT_TTST`.
    const fn size_is_valid(&self) -> bool {
        let most = match (self.granule, self.wide) {
            (Granule::K64, _) | (_, Wide::Lpa2) => 52,
            _ => 48,
        };
        let least = if matches!(self.granule, Granule::K64) { 17 } else { 16 };
        least <= self.input_bits && self.input_bits <= most
    }

    /// Whether all bits above the input bits equal bit 55; the top byte does not
    /// matter where it is ignored.
    const fn holds(&self, va: u64, controls: &Controls) -> bool {
        let upper = is_upper(va);
        let ignored = if controls.top_byte_ignored(upper) { 8 } else { 0 };
        let extended = (va << ignored).cast_signed() >> (ignored + self.input_bits);
        extended == if upper { -1 } else { 0 }
    }

    fn walk(
        &self,
        va: u64,
        controls: &Controls,
        memory: &impl PhysicalMemory,
    ) -> Option<Translation> {
        let (granule, stride) = (self.granule.bits(), self.granule.stride());
        // Levels count down to 0, the level of pages (level 3 of the Arm ARM).
        let mut above_page = (self.input_bits - granule).div_ceil(stride) - 1;
        let first_bits = self.input_bits - granule - above_page * stride;
        let mut table = self.first_table(first_bits);
        let mut index_bits = first_bits;
        loop {
            let page_bits = granule + above_page * stride;
            let index = va >> page_bits & low_bits(index_bits);
            let descriptor = memory.read_u64(table + index * 8)?;
            match self.kind(descriptor, above_page)? {
                Kind::Table => table = self.output(descriptor, granule),
                Kind::Leaf => return Some(self.leaf(va, descriptor, page_bits, controls)),
            }
            above_page -= 1;
            index_bits = stride;
        }
    }

    /// Base of the first table: aligned to its size, at least 64 bytes where the
    /// low bits of TTBR hold the top of the address.
    const fn first_table(&self, index_bits: u32) -> u64 {
        const BADDR: u64 = low_bits(48) & !1;
        let size_bits = index_bits + 3;
        if matches!(self.wide, Wide::No) {
            return self.ttbr & BADDR & !low_bits(size_bits);
        }
        let aligned = self.ttbr & BADDR & !low_bits(if size_bits < 6 { 6 } else { size_bits });
        aligned | (self.ttbr >> 2 & 0xf) << 48
    }

    /// What a descriptor is, `above_page` levels above that of pages.
    const fn kind(&self, descriptor: u64, above_page: u32) -> Option<Kind> {
        match (descriptor & 3, above_page) {
            (3, 0) => Some(Kind::Leaf),
            (3, _) => Some(Kind::Table),
            (1, above) if above != 0 && above <= self.largest_block() => Some(Kind::Leaf),
            _ => None,
        }
    }

    /// Highest level at which blocks exist.
    const fn largest_block(&self) -> u32 {
        let wide = !matches!(self.wide, Wide::No);
        match self.granule {
            Granule::K4 => 2 + wide as u32,
            Granule::K16 | Granule::K64 => 1 + wide as u32,
        }
    }

    const fn leaf(
        &self,
        va: u64,
        descriptor: u64,
        page_bits: u32,
        controls: &Controls,
    ) -> Translation {
        Translation {
            physical: self.output(descriptor, page_bits) | va & low_bits(page_bits),
            page_bits,
            memory: memory_type(descriptor, controls.mair),
        }
    }

    /// The address in a descriptor, down to bit `low`.
    const fn output(&self, descriptor: u64, low: u32) -> u64 {
        match self.wide {
            Wide::No => descriptor & low_bits(48) & !low_bits(low),
            Wide::Lpa => {
                descriptor & low_bits(48) & !low_bits(low) | (descriptor >> 12 & 0xf) << 48
            }
            Wide::Lpa2 => descriptor & low_bits(50) & !low_bits(low) | (descriptor >> 8 & 3) << 50,
        }
    }
}

enum Kind {
    Table,
    Leaf,
}

const fn wide(tcr: u64, granule: Granule) -> Wide {
    const DS: u32 = 59;
    const IPS_52_BITS: u64 = 6;
    match granule {
        Granule::K64 if tcr >> 32 & 7 == IPS_52_BITS => Wide::Lpa,
        Granule::K4 | Granule::K16 if tcr >> DS & 1 == 1 => Wide::Lpa2,
        _ => Wide::No,
    }
}

/// By the attribute of `MAIR_EL1` that `AttrIndx` (bits 4 to 2) names.
const fn memory_type(descriptor: u64, mair: u64) -> MemoryType {
    const NORMAL_TAGGED: u64 = 0xf0;
    let index = (descriptor >> 2 & 7) as u32;
    match mair >> (8 * index) & 0xff {
        NORMAL_TAGGED => MemoryType::NormalTagged,
        _ => MemoryType::Other,
    }
}

const fn low_bits(count: u32) -> u64 {
    (1 << count) - 1
}
