// SPDX-License-Identifier: GPL-2.0-or-later
//! Instructions assembled by GNU as, and what counting relies on.

use granule_events::{
    decode, Base, Control, Event, Exemption, MarkKind, Offset, Privilege, SystemRegister, TagCheck,
    TcoSource,
};

fn events(word: u32) -> Vec<String> {
    decode(word).causes.iter().map(|event: Event| event.name()).collect()
}

#[test]
fn marks_are_moves_to_the_zero_register() {
    let control = |word| decode(word).control;
    assert_eq!(control(0xd288_ea5f), Control::Mark(MarkKind::Open)); // movz xzr, #0x4752
    assert_eq!(control(0xd2a8_ea5f), Control::Mark(MarkKind::Close)); // … lsl #16
    assert_eq!(control(0xd2c8_ea5f), Control::Mark(MarkKind::Iteration)); // … lsl #32
    assert_eq!(control(0xd2e8_ea5f), Control::None); // … lsl #48
    assert_eq!(control(0xd288_ea5e), Control::None); // movz x30, #0x4752
    assert_eq!(control(0x5288_ea5f), Control::None); // movz wzr, #0x4752
}

#[test]
fn tco_is_written_from_an_immediate_or_a_register() {
    assert_eq!(decode(0xd503_419f).control, Control::WritesTco(TcoSource::Immediate(true)));
    assert_eq!(decode(0xd503_409f).control, Control::WritesTco(TcoSource::Immediate(false)));
    // Only bit 0 of the immediate is used.
    assert_eq!(decode(0xd503_429f).control, Control::WritesTco(TcoSource::Immediate(false)));
    assert_eq!(decode(0xd51b_42e5).control, Control::WritesTco(TcoSource::Register(5)));
    assert_eq!(events(0xd51b_42e5), ["msr.tco"]);
    assert_eq!(events(0xd503_419f), ["msr.tco"]);
}

#[test]
fn pstate_fields_have_names() {
    assert_eq!(events(0xd500_417f), ["msr.uao"]);
    assert_eq!(events(0xd500_419f), ["msr.pan"]);
    assert_eq!(events(0xd500_41bf), ["msr.spsel"]);
    assert_eq!(events(0xd503_413f), ["msr.ssbs"]);
    assert_eq!(events(0xd503_415f), ["msr.dit"]);
    assert_eq!(events(0xd503_42df), ["msr.daifset"]);
    assert_eq!(events(0xd503_42ff), ["msr.daifclr"]);
    assert_eq!(events(0xd501_411f), ["msr.allint"]);
    assert_eq!(events(0xd501_431f), ["msr.pm"]);
    assert!(events(0xd500_401f).is_empty(), "CFINV");
}

#[test]
fn system_registers_are_written_and_read() {
    let msr = decode(0xd518_1000); // msr sctlr_el1, x0
    assert_eq!(msr.control, Control::WritesSystemRegister(SystemRegister::SCTLR_EL1, 0));
    assert_eq!(events(0xd518_1000), ["msr.sctlr_el1"]);
    assert_eq!(events(0xd538_5600), ["mrs.tfsr_el1"]);
    assert_eq!(decode(0xd538_5600).control, Control::None);
}

#[test]
fn exceptions_and_returns() {
    assert_eq!(events(0xd400_0001), ["svc"]);
    assert_eq!(decode(0xd400_0001).control, Control::MayTrap);
    for eret in [0xd69f_03e0, 0xd69f_0bff, 0xd69f_0fff] {
        assert_eq!(events(eret), ["eret"]);
        assert_eq!(decode(eret).control, Control::ExceptionReturn);
    }
    assert!(events(0xd65f_03c0).is_empty(), "RET");
}

#[test]
fn a_pair_counts_once_with_the_size_of_both() {
    let ldp = decode(0xa940_07e0); // ldp x0, x1, [sp]
    let access = ldp.accesses.iter().next().expect("it reads");
    assert_eq!((access.size, access.address.base), (16, Base::Sp));
    assert_eq!(access.tag_check, TagCheck::Exempt(Exemption::SpImmediate));
    assert_eq!(events(0xa940_07e0), ["mem_access_rd"]);
}

#[test]
fn sp_exempts_without_writeback_and_register_offset_only() {
    let check = |word| decode(word).accesses.iter().next().expect("it accesses").tag_check;
    let exempt = TagCheck::Exempt(Exemption::SpImmediate);
    assert_eq!(check(0xf940_07e0), exempt); // ldr x0, [sp, #8]
    assert_eq!(check(0xf840_87e0), TagCheck::Eligible); // ldr x0, [sp], #8
    assert_eq!(check(0xf840_8fe0), TagCheck::Eligible); // ldr x0, [sp, #8]!
    assert_eq!(check(0xf861_6be0), TagCheck::Eligible); // ldr x0, [sp, x1]
    assert_eq!(check(0xc85f_7fe0), exempt); // ldxr x0, [sp]
    assert_eq!(check(0xc8a0_7fe1), exempt); // cas x0, x1, [sp]
    assert_eq!(check(0xf940_0020), TagCheck::Eligible); // ldr x0, [x1]
}

#[test]
fn a_post_index_is_not_part_of_the_address() {
    let post = decode(0xf840_8420); // ldr x0, [x1], #8
    assert_eq!(post.accesses.iter().next().map(|access| access.address.offset), Some(Offset::None));
}

#[test]
fn unprivileged_accesses_say_so() {
    let ldtr = decode(0xf840_0820); // ldtr x0, [x1]
    let privilege = ldtr.accesses.iter().next().map(|access| access.privilege);
    assert_eq!(privilege, Some(Privilege::Unprivileged));
}

#[test]
fn a_copy_reads_and_writes_at_different_addresses() {
    let cpyfp = decode(0x1901_0440); // cpyfp [x0]!, [x1]!, x2!
    let bases: Vec<_> = cpyfp.accesses.iter().map(|access| access.address.base).collect();
    assert_eq!(bases, [Base::X(1), Base::X(0)]);
    assert_eq!(events(0x1901_0440), ["mem_access_rd", "mem_access_wr"]);
}

#[test]
fn tag_instructions_are_not_checked() {
    assert_eq!(events(0xd920_0820), ["tag_st"]); // stg x0, [x1]
    assert_eq!(events(0xd960_0020), ["tag_ld"]); // ldg x0, [x1]
    assert_eq!(events(0xd960_0820), ["mem_access_wr", "tag_st"]); // stzg x0, [x1]
    let stzg = decode(0xd960_0820);
    let checks: Vec<_> = stzg.accesses.iter().map(|access| access.tag_check).collect();
    assert_eq!(checks, [TagCheck::Exempt(Exemption::TagInstruction)]);
}

#[test]
fn zeroing_by_address_is_checked() {
    let zva = decode(0xd50b_7420); // dc zva, x0
    let checks: Vec<_> = zva.accesses.iter().map(|access| access.tag_check).collect();
    assert_eq!(checks, [TagCheck::Eligible]);
    assert_eq!(events(0xd50b_7420), ["mem_access_wr"]);
    assert_eq!(events(0xd50b_7a20), Vec::<String>::new()); // dc cvac, x0
}

#[test]
fn atomics_by_kind() {
    let atomic = |word| events(word).pop().expect("an event");
    assert_eq!(atomic(0xc8a0_7c41), "atomics.cas"); // cas x0, x1, [x2]
    assert_eq!(atomic(0x4820_7c82), "atomics.casp"); // casp x0, x1, x2, x3, [x4]
    assert_eq!(atomic(0xf820_8041), "atomics.swp"); // swp x0, x1, [x2]
    assert_eq!(atomic(0xf820_0041), "atomics.ld_op"); // ldadd x0, x1, [x2]
    assert_eq!(atomic(0xf820_003f), "atomics.st_op"); // stadd x0, [x1]
    assert_eq!(atomic(0xf8a0_003f), "atomics.ld_op"); // ldadda x0, xzr, [x1]
    assert_eq!(atomic(0xc85f_7c20), "atomics.load_exclusive"); // ldxr x0, [x1]
    assert_eq!(atomic(0xc802_7c20), "atomics.store_exclusive"); // stxr w2, x0, [x1]
}

#[test]
fn invalidations_and_barriers() {
    assert_eq!(events(0xd508_831f), ["tlbi.vmalle1is"]);
    assert_eq!(events(0xd508_8725), ["tlbi.vae1"]);
    assert_eq!(events(0xd508_9220), ["tlbi.rvae1isnxs"]);
    assert_eq!(decode(0xd508_8725).control, Control::Tlbi);
    assert_eq!(events(0xd503_3b9f), ["dsb.ish"]);
    assert_eq!(events(0xd503_3a3f), ["dsb.ishnxs"]);
    assert_eq!(events(0xd503_3abf), ["dmb.ishst"]);
    assert_eq!(events(0xd503_3fdf), ["isb"]);
    assert!(events(0xd503_30ff).is_empty(), "SB");
}

#[test]
fn decoding_any_word_says_something_consistent() {
    for word in (0..u32::MAX).step_by(65_521) {
        let decoded = decode(word);
        assert_eq!(decoded.word, word);
        assert!(decoded.accesses.iter().all(|access| access.reads || access.writes));
    }
}

#[test]
fn authentication_may_trap() {
    // autia x0, x1; autizb x2; autdza x3; autiasp; autib1716
    for word in [0xdac1_1020, 0xdac1_37e2, 0xdac1_3be3, 0xd503_23bf, 0xd503_21df] {
        assert_eq!(decode(word).control, Control::MayTrap, "{word:#x}");
    }
    // pacia x0, x1; xpaci x0; paciasp; xpaclri
    for word in [0xdac1_0020, 0xdac1_43e0, 0xd503_233f, 0xd503_20ff] {
        assert_eq!(decode(word).control, Control::None, "{word:#x}");
    }
}
