// SPDX-License-Identifier: GPL-2.0-or-later
//! Plants counters and callbacks in a translation block.

use std::sync::PoisonError;

use granule_events::{
    Access, AddressRange, Control, Event, ExceptionLevel, MarkKind, SystemRegister, TagCheck,
};

use crate::blocks::{self, Decoded};
use crate::callbacks;
use crate::counters::Counters;
use crate::ledger::{Ledger, Meaning, Sense};
use crate::plugin::{Books, Plugin};
use crate::qemu::{Block, When};
use crate::sites::{AccessSite, CheckSlots, CheckedAccess, Sites, StackSite, VectorSite};
use crate::stacks::Stacks;
use crate::vcpu::{checks, Location};

/// Instruments a block that is being translated by a vCPU whose shadow says `el`.
///
/// The shadow turns to EL1 as the first instruction of a vector executes, which
/// is after that instruction was translated.
pub fn instrument(plugin: &Plugin, block: Block, el: ExceptionLevel) {
    let decoded = blocks::decoded(block);
    if !decoded[0].pc.is_multiple_of(4) {
        return; // a PC alignment fault, not an instruction
    }
    let el = if is_vector(plugin, decoded[0].pc) { ExceptionLevel::El1 } else { el };
    let mut books = plugin.books();
    plant_counters(&mut books.counters, &decoded, el);
    plant_sampling(plugin, &mut books.sites, &decoded, el);
    for instruction in &decoded {
        plant_stack(plugin, &mut books.sites, instruction, el);
        plant_vector(plugin, &mut books.sites, instruction);
        plant_control(plugin, instruction);
        plant_checks(plugin, &mut books, instruction, el);
    }
}

/// Instruments a block of an AArch32 program: its instructions are counted and
/// not looked at.
pub fn instrument_undecoded(plugin: &Plugin, block: Block) {
    let mut books = plugin.books();
    books.diagnostics.aarch32_blocks += 1;
    for instruction in block.instructions() {
        let (el, pc) = (ExceptionLevel::El0, instruction.address());
        let meaning = Meaning { el, pc, sense: Sense::Adds, events: vec![Event::Instructions] };
        instruction.add(books.counters.inline(meaning), 1);
    }
}

/// Each stretch counts itself as it starts. This comes first, so that a mark
/// finds its own stretch counted.
fn plant_counters(counters: &mut Counters, block: &[Decoded], el: ExceptionLevel) {
    for stretch in blocks::stretches(block) {
        let counter = counters.inline(blocks::meaning(stretch, el));
        stretch[0].translated.add(counter, 1);
    }
}

/// Every so many instructions, the first of a block records the stack.
fn plant_sampling(plugin: &Plugin, sites: &mut Sites, block: &[Decoded], el: ExceptionLevel) {
    let Some(Stacks::Sampled { period }) = plugin.arguments.stacks else { return };
    let first = &block[0];
    first.translated.add(plugin.shared.since_sample, block.len() as u64);
    let when = When::AtLeast(plugin.shared.since_sample, period);
    first.translated.call(callbacks::on_sample, when, stack_site(sites, first.pc, el));
}

fn plant_stack(plugin: &Plugin, sites: &mut Sites, decoded: &Decoded, el: ExceptionLevel) {
    if plugin.arguments.stacks.as_ref().is_some_and(|stacks| stacks.wants(&decoded.instruction)) {
        let site = stack_site(sites, decoded.pc, el);
        decoded.translated.call(callbacks::on_stack, When::Always, site);
    }
}

fn stack_site(sites: &mut Sites, pc: u64, el: ExceptionLevel) -> &'static StackSite {
    let new = || -> &'static StackSite { Box::leak(Box::new(StackSite { pc, el })) };
    sites.stacks.entry((el, pc)).or_insert_with(new)
}

/// The first instruction of a vector counts the exception.
fn plant_vector(plugin: &Plugin, sites: &mut Sites, decoded: &Decoded) {
    let Some(site) = vector_site(plugin, sites, decoded.pc) else { return };
    // An exception sets PSTATE.TCO (Arm ARM, AArch64.TakeException).
    decoded.translated.store(plugin.shared.checks, checks::UNKNOWN);
    decoded.translated.call(callbacks::on_vector, When::Always, site);
}

/// Bytes of a vector table, and of one of its vectors.
const VECTOR_TABLE: u64 = 0x800;
const VECTOR: u64 = 0x80;

fn is_vector(plugin: &Plugin, pc: u64) -> bool {
    let tables = plugin.vector_tables.read().unwrap_or_else(PoisonError::into_inner);
    pc.is_multiple_of(VECTOR) && tables.contains(&(pc - pc % VECTOR_TABLE))
}

fn vector_site(plugin: &Plugin, sites: &mut Sites, pc: u64) -> Option<&'static VectorSite> {
    if !is_vector(plugin, pc) {
        return None;
    }
    let offset = pc % VECTOR_TABLE;
    // Entries from 0x400 on are for exceptions from a lower level.
    let from = if offset < 0x400 { ExceptionLevel::El1 } else { ExceptionLevel::El0 };
    let new = || -> &'static VectorSite { Box::leak(Box::new(VectorSite { pc, offset, from })) };
    Some(sites.vectors.entry(pc).or_insert_with(new))
}

fn plant_control(plugin: &Plugin, decoded: &Decoded) {
    let at = decoded.translated;
    match decoded.instruction.control {
        Control::WritesTco(_) => at.store(plugin.shared.checks, checks::UNKNOWN),
        Control::WritesSystemRegister(register, _) => {
            plant_register_write(plugin, decoded, register);
        }
        Control::ExceptionReturn => {
            at.store(plugin.shared.checks, checks::UNKNOWN);
            at.call(callbacks::on_exception_return, When::Always, &());
        }
        Control::Tlbi => at.call(callbacks::on_tlbi, When::Always, &()),
        Control::Mark(MarkKind::Open) => at.call(callbacks::on_open, When::Always, &()),
        Control::Mark(MarkKind::Close) => at.call(callbacks::on_close, When::Always, &()),
        Control::Mark(MarkKind::Iteration) => at.call(callbacks::on_iteration, When::Always, &()),
        _ => {}
    }
}

fn plant_register_write(plugin: &Plugin, decoded: &Decoded, register: SystemRegister) {
    const CONTROLS: [SystemRegister; 5] = [
        SystemRegister::SCTLR_EL1,
        SystemRegister::TCR_EL1,
        SystemRegister::MAIR_EL1,
        SystemRegister::TTBR0_EL1,
        SystemRegister::TTBR1_EL1,
    ];
    let at = decoded.translated;
    if CONTROLS.contains(&register) {
        at.store(plugin.shared.checks, checks::UNKNOWN);
        at.store(plugin.shared.controls_stale, 1);
    }
    if register == SystemRegister::VBAR_EL1 {
        at.call(callbacks::on_vbar_write, When::Always, rt(decoded.instruction.word));
    }
}

/// Register numbers with a place in memory, as callbacks take a pointer.
static REGISTER_NUMBERS: [u8; 32] = {
    let mut numbers = [0; 32];
    let mut number = 0;
    while number < 32 {
        numbers[number as usize] = number;
        number += 1;
    }
    numbers
};

fn rt(word: u32) -> &'static u8 {
    &REGISTER_NUMBERS[(word & 31) as usize]
}

/// An access that may be tag-checked is examined while checks are possible.
fn plant_checks(plugin: &Plugin, books: &mut Books, decoded: &Decoded, el: ExceptionLevel) {
    if !decoded.may_check() {
        return;
    }
    let site = access_site(books, decoded, el);
    if plugin.arguments.verify {
        decoded.translated.call(callbacks::on_access_verified, When::Always, site);
    } else {
        let when = When::NonZero(plugin.shared.checks);
        decoded.translated.call(callbacks::on_access, when, site);
    }
}

fn access_site(books: &mut Books, decoded: &Decoded, el: ExceptionLevel) -> &'static AccessSite {
    let key = (el, decoded.pc, decoded.instruction.word);
    if let Some(site) = books.sites.accesses.get(&key) {
        return site;
    }
    let accesses = decoded
        .instruction
        .accesses
        .iter()
        .filter(|access| access.tag_check == TagCheck::Eligible)
        .map(|access| checked_access(&mut books.counters.ledger, access, decoded.pc, el))
        .collect();
    let site = Box::leak(Box::new(AccessSite { at: Location::new(key.1, key.2), accesses }));
    books.sites.accesses.insert(key, site);
    site
}

fn checked_access(
    ledger: &mut Ledger,
    access: &Access,
    pc: u64,
    el: ExceptionLevel,
) -> CheckedAccess {
    let slots = AddressRange::ALL.map(|range| {
        let events = checks_of(access, range);
        let meaning = |sense| Meaning { el, pc, sense, events: events.clone() };
        CheckSlots {
            check: ledger.slot(meaning(Sense::Adds)),
            take_back: ledger.slot(meaning(Sense::TakesBack)),
        }
    });
    CheckedAccess { access: access.clone(), slots }
}

fn checks_of(access: &Access, range: AddressRange) -> Vec<Event> {
    let read = access.reads.then_some(Event::MemAccessCheckedRd(range));
    let write = access.writes.then_some(Event::MemAccessCheckedWr(range));
    read.into_iter().chain(write).collect()
}
