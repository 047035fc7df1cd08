// SPDX-License-Identifier: GPL-2.0-or-later
//! The rule for tag checks.

use granule_events::{
    allocation_tag_access, decode, is_checked, Access, AddressRange, Controls, ExceptionLevel,
    MemoryType,
};

const ATA0: u64 = 1 << 42;
const ATA: u64 = 1 << 43;
const TBI0: u64 = 1 << 37;
const TBI1: u64 = 1 << 38;
const TBID: u64 = 1 << 51 | 1 << 52;
const TCMA0: u64 = 1 << 57;
const TCMA1: u64 = 1 << 58;

const LDR: u32 = 0xf940_0020; // ldr x0, [x1]
const LDTR: u32 = 0xf840_0820; // ldtr x0, [x1]
const LDR_SP: u32 = 0xf940_03e0; // ldr x0, [sp]
const LDR_LITERAL: u32 = 0x5800_0020; // ldr x0, 4
const STZG: u32 = 0xd960_0820; // stzg x0, [x1]

fn access(word: u32) -> Access {
    decode(word).accesses.iter().next().expect("it accesses memory").clone()
}

/// One situation; the default is checked.
#[derive(Clone)]
struct Case {
    address: u64,
    word: u32,
    el: ExceptionLevel,
    tco: bool,
    sctlr: u64,
    tcr: u64,
    memory: Option<MemoryType>,
}

impl Default for Case {
    fn default() -> Self {
        Self {
            address: 0x0300_ffff_f7e7_b690,
            word: LDR,
            el: ExceptionLevel::El0,
            tco: false,
            sctlr: ATA | ATA0,
            tcr: TBI0 | TBI1,
            memory: Some(MemoryType::NormalTagged),
        }
    }
}

impl Case {
    fn checked(&self) -> bool {
        let controls = Controls { sctlr: self.sctlr, tcr: self.tcr, ..Controls::default() };
        let access = access(self.word);
        is_checked(self.address, &access, self.el, self.tco, &controls, || self.memory)
    }
}

#[test]
fn a_tagged_access_to_tagged_memory_is_checked() {
    assert!(Case::default().checked());
    let upper = Case { address: 0xf2ff_8000_1234_0000, el: ExceptionLevel::El1, ..Case::default() };
    assert!(upper.checked());
}

#[test]
fn each_condition_alone_prevents_the_check() {
    let unchecked = [
        ("PSTATE.TCO", Case { tco: true, ..Case::default() }),
        ("no ATA0", Case { sctlr: ATA, ..Case::default() }),
        ("no TBI0", Case { tcr: TBI1, ..Case::default() }),
        ("SP and an immediate", Case { word: LDR_SP, ..Case::default() }),
        ("a literal", Case { word: LDR_LITERAL, ..Case::default() }),
        ("a tag instruction", Case { word: STZG, ..Case::default() }),
        ("memory without tags", Case { memory: Some(MemoryType::Other), ..Case::default() }),
        ("no translation", Case { memory: None, ..Case::default() }),
    ];
    for (why, case) in unchecked {
        assert!(!case.checked(), "{why}");
    }
}

#[test]
fn tcma_spares_addresses_that_were_never_tagged() {
    let with = |address, tcma| Case { address, tcr: TBI0 | TBI1 | tcma, ..Case::default() };
    let lower = 0x0000_ffff_f7e7_b690;
    assert!(with(lower, 0).checked());
    assert!(!with(lower, TCMA0).checked());
    assert!(with(lower, TCMA1).checked());
    assert!(with(lower | 1 << 56, TCMA0).checked());
    // Bits 63 to 60 are no part of the tag.
    assert!(!with(lower | 0xf << 60, TCMA0).checked());
    let upper = 0xffff_8000_1234_0000;
    assert!(with(upper, 0).checked());
    assert!(!with(upper, TCMA1).checked());
    assert!(with(upper, TCMA0).checked());
    assert!(with(upper & !(1 << 59), TCMA1).checked());
    assert!(!with(upper & !(0xf << 60), TCMA1).checked());
}

#[test]
fn tbid_narrows_instruction_fetches_only() {
    assert!(Case { tcr: TBI0 | TBI1 | TBID, ..Case::default() }.checked());
}

#[test]
fn each_level_and_privilege_has_its_own_access_bit() {
    let level = |word, el, sctlr| Case { word, el, sctlr, ..Case::default() }.checked();
    for (sctlr, el0, el1) in [(0, false, false), (ATA0, true, false), (ATA, false, true)] {
        assert_eq!(level(LDR, ExceptionLevel::El0, sctlr), el0);
        assert_eq!(level(LDR, ExceptionLevel::El1, sctlr), el1);
        // LDTR has the permissions of EL0 at both levels.
        assert_eq!(level(LDTR, ExceptionLevel::El1, sctlr), el0);
        assert_eq!(level(LDTR, ExceptionLevel::El0, sctlr), el0);
        let controls = Controls { sctlr, ..Controls::default() };
        assert_eq!(allocation_tag_access(&controls, ExceptionLevel::El0), el0);
        assert_eq!(allocation_tag_access(&controls, ExceptionLevel::El1), el1);
    }
}

#[test]
fn what_a_mismatch_does_is_irrelevant() {
    for tcf in 0..16 {
        assert!(Case { sctlr: ATA | ATA0 | tcf << 38, ..Case::default() }.checked());
    }
}

/// Every combination of the conditions, against the rule written as a sentence.
#[test]
fn truth_table() {
    for bits in 0..1_u32 << 9 {
        let on = |bit: u32| bits >> bit & 1 == 1;
        let pick = |bit: u32, value: u64| if on(bit) { value } else { 0 };
        let (upper, tagged) = (on(0), on(1));
        let address = match (upper, tagged) {
            (false, false) => 0x0000_0000_1000_0000,
            (false, true) => 0x0a00_0000_1000_0000,
            (true, false) => 0xffff_8000_1000_0000,
            (true, true) => 0xfaff_8000_1000_0000,
        };
        let case = Case {
            address,
            word: if on(2) { LDTR } else { LDR },
            el: ExceptionLevel::El1,
            tco: on(3),
            sctlr: pick(4, ATA) | pick(5, ATA0),
            tcr: pick(6, if upper { TBI1 } else { TBI0 })
                | pick(7, if upper { TCMA1 } else { TCMA0 }),
            memory: Some(if on(8) { MemoryType::NormalTagged } else { MemoryType::Other }),
        };
        let accessible = if on(2) { on(5) } else { on(4) };
        let expected = !on(3) && accessible && on(6) && (tagged || !on(7)) && on(8);
        assert_eq!(case.checked(), expected, "{bits:09b}");
    }
}

/// The memory type costs a walk, so it comes last.
#[test]
fn memory_is_not_asked_in_vain() {
    let controls = Controls { sctlr: ATA | ATA0, tcr: 0, ..Controls::default() };
    let asked = || -> Option<MemoryType> { panic!("TBI0 is 0") };
    assert!(!is_checked(1 << 56, &access(LDR), ExceptionLevel::El0, false, &controls, asked));
}

#[test]
fn bit_55_alone_chooses_the_range() {
    for tag in 0..16u64 {
        assert_eq!(AddressRange::of(tag << 56 | 0xffff_f7e7_b690), AddressRange::Ttbr0);
        assert_eq!(AddressRange::of(tag << 56 | 1 << 55), AddressRange::Ttbr1);
    }
}
