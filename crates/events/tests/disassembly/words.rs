// SPDX-License-Identifier: GPL-2.0-or-later
//! Instruction words to try.

/// A xorshift generator: the same words at each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20 & 0xffff_ffff).try_into().unwrap_or_default()
    }
}

/// Places that matter, as (bits to force, their value).
const BIASES: [(u32, u32); 8] = [
    (0x0a00_0000, 0x0800_0000), // loads and stores
    (0x0a00_0000, 0x0800_0000),
    (0x0a00_0000, 0x0800_0000),
    (0x9e00_0000, 0x8400_0000), // SVE memory
    (0xffc0_0000, 0xd500_0000), // system
    (0xff00_0000, 0xd400_0000), // exception generation
    (0xfe00_0000, 0xd600_0000), // branches to registers
    (0, 0),
];

/// Seeded random words, most of them in the places that matter.
pub fn random(count: usize) -> impl Iterator<Item = u32> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    (0..count).map(move |number| {
        let (mask, value) = BIASES[number % BIASES.len()];
        random.next() & !mask | value
    })
}

/// Every load and store with every Rs and a few other registers. Bits 31 to 21
/// and 15 to 10 tell instructions apart; the rest are registers and parts of
/// immediates.
pub fn every_load_store_opcode() -> impl Iterator<Item = u32> {
    opcodes(|word| word & 0x0a00_0000 == 0x0800_0000)
}

/// The same of SVE and SME.
pub fn every_sve_memory_opcode() -> impl Iterator<Item = u32> {
    opcodes(|word| word & 0x9e00_0000 == 0x8400_0000 || word & 0xfe00_0000 == 0xe000_0000)
}

/// Rn and Rt.
const REGISTERS: [(u32, u32); 2] = [(1, 0), (31, 31)];

fn opcodes(wanted: impl Fn(u32) -> bool) -> impl Iterator<Item = u32> {
    (0..1_u32 << 17)
        .map(|bits| (bits >> 6) << 21 | (bits & 0x3f) << 10)
        .filter(move |&word| wanted(word))
        .flat_map(|word| (0..32).map(move |rs| word | rs << 16))
        .flat_map(|word| REGISTERS.map(|(rn, rt)| word | rn << 5 | rt))
}

/// The whole space of system instructions with two registers, and exception
/// generation and return.
pub fn every_system_instruction() -> impl Iterator<Item = u32> {
    let system = (0..1_u32 << 17).flat_map(|bits| [0, 31].map(|rt| 0xd500_0000 | bits << 5 | rt));
    let more = (0..1_u32 << 17).flat_map(|bits| [3, 30].map(|rt| 0xd500_0000 | bits << 5 | rt));
    let generation = (0..1_u32 << 8).map(|bits| 0xd400_0000 | (bits >> 5) << 21 | bits & 0x1f);
    let eret = (0..1_u32 << 16).map(|low| 0xd69f_0000 | low);
    let others = (0..1_u32 << 12).map(|bits| 0xd600_03e0 | bits << 13);
    let all = system.chain(more).chain(generation).chain(eret).chain(others);
    // L and op0 reach up to bit 21.
    let pairs = (0..1_u32 << 17).map(|bits| 0xd540_0000 | bits << 5);
    all.chain(pairs)
}
