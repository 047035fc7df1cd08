// SPDX-License-Identifier: GPL-2.0-or-later
//! What generated code calls while the guest runs.
//!
//! Each function runs before the instruction it was planted at; generated code
//! has synchronised the registers, as each asks for them.

use std::ffi::c_void;
use std::sync::atomic::Ordering;
use std::sync::PoisonError;

use granule_events::{ExceptionKind, ExceptionLevel, Progress};

use crate::plugin::Plugin;
use crate::sites::{AccessSite, StackSite, VectorSite};
use crate::stacks;
use crate::vcpu::{checks, CheckInFlight, Location, Syndrome, Vcpu};

/// A region's name may have this many bytes.
const NAME_LIMIT: usize = 64;

/// An access that may be tag-checked is about to be made.
///
/// # Safety
/// QEMU calls this on the vCPU's thread with the `AccessSite` registered.
pub unsafe extern "C" fn on_access(vcpu: u32, data: *mut c_void) {
    let plugin = Plugin::get();
    // SAFETY: by this function's contract.
    let (vcpu, site) = unsafe { (plugin.vcpu(vcpu), &*data.cast::<AccessSite>()) };
    if vcpu.examines(|| plugin.is_counting()) {
        count_checks(plugin, vcpu, site);
    }
}

fn count_checks(plugin: &Plugin, vcpu: &mut Vcpu, site: &AccessSite) {
    let generation = plugin.tlb_generation.load(Ordering::Relaxed);
    for (access, in_flight) in site.accesses.iter().zip(0..) {
        let checked = vcpu.checked_range(&access.access, &plugin.ram, generation);
        vcpu.in_flight[in_flight] = checked.map(|range| {
            let slots = access.slots[range as usize];
            vcpu.bump(slots.check);
            CheckInFlight { at: site.at, take_back: slots.take_back }
        });
    }
}

/// As [`on_access`], and compares the shadow with the machine.
///
/// # Safety
/// As for [`on_access`].
pub unsafe extern "C" fn on_access_verified(vcpu: u32, data: *mut c_void) {
    let plugin = Plugin::get();
    // SAFETY: by this function's contract; the borrow ends with the block.
    let mismatch = unsafe { plugin.vcpu(vcpu) }.shadow_differs();
    if mismatch && plugin.is_counting() {
        plugin.books().diagnostics.shadow_mismatches += 1;
    }
    if plugin.shared.checks.get(vcpu) != checks::OFF {
        // SAFETY: by this function's contract.
        unsafe { on_access(vcpu, data) };
    }
}

/// An exception was taken to EL1.
///
/// # Safety
/// As for [`on_access`], with a `VectorSite`.
pub unsafe extern "C" fn on_vector(vcpu: u32, data: *mut c_void) {
    let plugin = Plugin::get();
    // SAFETY: by this function's contract.
    let (vcpu, site) = unsafe { (plugin.vcpu(vcpu), &*data.cast::<VectorSite>()) };
    let syndrome = vcpu.syndrome();
    // What AArch32 programs do is not decoded, so there is nothing to take back.
    let from_aarch32 = vcpu.aarch32;
    let kind = ExceptionKind::from_vector(site.offset, syndrome.esr);
    vcpu.enter_kernel();
    plugin.heartbeat.beat();
    vcpu.bump(plugin.books().counters.exception(kind, site.from, site.pc));
    if kind.progress() == Progress::Started && !from_aarch32 {
        take_back(plugin, vcpu, site.from, syndrome);
    }
}

/// The instruction at ELR was counted as it started, and did not complete.
fn take_back(plugin: &Plugin, vcpu: &mut Vcpu, el: ExceptionLevel, syndrome: Syndrome) {
    let pc = syndrome.elr;
    let Some(word) = vcpu.instruction(pc, &plugin.ram) else {
        plugin.books().diagnostics.unreadable_faults += 1;
        return;
    };
    vcpu.bump(plugin.books().counters.not_completed(el, pc, word));
    for check in std::mem::take(&mut vcpu.in_flight).into_iter().flatten() {
        if check.at == Location::new(pc, word) {
            vcpu.bump(check.take_back);
        }
    }
}

/// An ERET is about to execute.
///
/// # Safety
/// As for [`on_access`]; `data` is not used.
pub unsafe extern "C" fn on_exception_return(vcpu: u32, _: *mut c_void) {
    // SAFETY: by this function's contract.
    let vcpu = unsafe { Plugin::get().vcpu(vcpu) };
    vcpu.leave_exception();
}

/// A TLBI is about to execute.
///
/// # Safety
/// As for [`on_access`]; `data` is not used.
pub unsafe extern "C" fn on_tlbi(_: u32, _: *mut c_void) {
    Plugin::get().tlb_generation.fetch_add(1, Ordering::Relaxed);
}

/// An `MSR VBAR_EL1, Xt` is about to execute.
///
/// # Safety
/// As for [`on_access`], with the number of Xt.
pub unsafe extern "C" fn on_vbar_write(vcpu: u32, data: *mut c_void) {
    let plugin = Plugin::get();
    // SAFETY: by this function's contract.
    let base = unsafe { plugin.vcpu(vcpu).general(*data.cast::<u8>()) };
    plugin.vector_tables.write().unwrap_or_else(PoisonError::into_inner).insert(base);
}

/// # Safety
/// As for [`on_access`]; `data` is not used.
pub unsafe extern "C" fn on_open(vcpu: u32, _: *mut c_void) {
    // SAFETY: by this function's contract.
    if let Some(name) = unsafe { mark_name(vcpu) } {
        let plugin = Plugin::get();
        let books = &mut *plugin.books();
        plugin.start_counting();
        books.regions.open(name, &books.counters);
    }
}

/// # Safety
/// As for [`on_access`]; `data` is not used.
pub unsafe extern "C" fn on_close(vcpu: u32, _: *mut c_void) {
    // SAFETY: by this function's contract.
    if let Some(name) = unsafe { mark_name(vcpu) } {
        let plugin = Plugin::get();
        let books = &mut *plugin.books();
        books.regions.close(name, &books.counters);
        if !books.regions.any_open() {
            plugin.stop_counting();
        }
    }
}

/// # Safety
/// As for [`on_access`]; `data` is not used.
pub unsafe extern "C" fn on_iteration(vcpu: u32, _: *mut c_void) {
    // SAFETY: by this function's contract.
    if let Some(name) = unsafe { mark_name(vcpu) } {
        let books = &mut *Plugin::get().books();
        if !books.regions.iteration(&name, &books.counters) {
            books.diagnostics.stray_iterations += 1;
        }
    }
}

/// Enough instructions have passed for a sample.
///
/// # Safety
/// As for [`on_access`], with a `StackSite`.
pub unsafe extern "C" fn on_sample(vcpu: u32, data: *mut c_void) {
    let plugin = Plugin::get();
    plugin.shared.since_sample.set(vcpu, 0);
    // SAFETY: by this function's contract.
    unsafe { on_stack(vcpu, data) };
}

/// The call stack is wanted.
///
/// # Safety
/// As for [`on_access`], with a `StackSite`.
pub unsafe extern "C" fn on_stack(vcpu: u32, data: *mut c_void) {
    let plugin = Plugin::get();
    // SAFETY: by this function's contract.
    let (vcpu, site) = unsafe { (plugin.vcpu(vcpu), &*data.cast::<StackSite>()) };
    let mut books = plugin.books();
    if books.regions.any_open() {
        books.regions.record_stack(&match site.el {
            ExceptionLevel::El0 => Vec::new(),
            ExceptionLevel::El1 => stacks::walk(vcpu, &plugin.ram, site.pc),
        });
    }
}

/// The name a mark carries in X0.
///
/// # Safety
/// As for [`on_access`].
unsafe fn mark_name(vcpu: u32) -> Option<String> {
    let plugin = Plugin::get();
    // SAFETY: by this function's contract.
    let vcpu = unsafe { plugin.vcpu(vcpu) };
    let address = vcpu.general(0);
    let name = vcpu.string(address, NAME_LIMIT);
    if name.is_none() {
        plugin.books().diagnostics.unreadable_marks += 1;
    }
    name
}
