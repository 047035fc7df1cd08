// SPDX-License-Identifier: GPL-2.0-or-later
//! How QEMU enters the plugin: installation, a new vCPU, a new translation
//! block, the end.

use std::ffi::{c_char, c_int, c_void, CStr};

use qemu_plugin_sys as sys;

use crate::arguments::Arguments;
use crate::instrument::{instrument, instrument_undecoded};
use crate::plugin::{fail, Plugin};
use crate::qemu::Block;

/// The plugin API this is written for. QEMU refuses to load a plugin whose API
/// it does not offer.
#[no_mangle]
#[allow(non_upper_case_globals)] // the name is QEMU's
pub static qemu_plugin_version: c_int = 4;

/// # Safety
/// QEMU calls this once, with the plugin's id, a valid description of the
/// machine and `argc` valid arguments.
#[no_mangle]
pub unsafe extern "C" fn qemu_plugin_install(
    id: sys::qemu_plugin_id_t,
    info: *const sys::qemu_info_t,
    argc: c_int,
    argv: *const *const c_char,
) -> c_int {
    // SAFETY: by this function's contract.
    match unsafe { install(id, &*info, argc, argv) } {
        Ok(()) => 0,
        Err(message) => fail(&message),
    }
}

/// # Safety
/// As for [`qemu_plugin_install`].
unsafe fn install(
    id: sys::qemu_plugin_id_t,
    info: &sys::qemu_info_t,
    argc: c_int,
    argv: *const *const c_char,
) -> Result<(), String> {
    // SAFETY: by this function's contract; the union holds `system` because
    // only system emulation gets past the check.
    unsafe {
        if !info.system_emulation || CStr::from_ptr(info.target_name) != c"aarch64" {
            return Err("granule-counters: for qemu-system-aarch64 only".into());
        }
        let arguments = Arguments::parse(strings(argc, argv)?)?;
        let max_vcpus = usize::try_from(info.__bindgen_anon_1.system.max_vcpus).unwrap_or(0);
        Plugin::install(arguments, max_vcpus, info.version.cur)?;
        sys::qemu_plugin_register_vcpu_init_cb(id, Some(on_vcpu_init));
        sys::qemu_plugin_register_vcpu_tb_trans_cb(id, Some(on_translation));
        sys::qemu_plugin_register_atexit_cb(id, Some(on_exit), std::ptr::null_mut());
    }
    Ok(())
}

/// # Safety
/// `argv` holds `argc` NUL-terminated strings that outlive the result.
unsafe fn strings<'a>(argc: c_int, argv: *const *const c_char) -> Result<Vec<&'a str>, String> {
    (0..usize::try_from(argc).unwrap_or(0))
        .map(|index| {
            // SAFETY: by this function's contract.
            let argument = unsafe { CStr::from_ptr(*argv.add(index)) };
            argument.to_str().map_err(|_| "granule-counters: an argument is not UTF-8".to_owned())
        })
        .collect()
}

unsafe extern "C" fn on_vcpu_init(_: sys::qemu_plugin_id_t, vcpu: u32) {
    Plugin::get().start_vcpu(vcpu);
}

unsafe extern "C" fn on_exit(_: sys::qemu_plugin_id_t, _: *mut c_void) {
    Plugin::get().finish();
}

unsafe extern "C" fn on_translation(_: sys::qemu_plugin_id_t, block: *mut sys::qemu_plugin_tb) {
    let plugin = Plugin::get();
    // SAFETY: a block is translated on the thread of the vCPU about to run it.
    let vcpu = unsafe { plugin.thread_vcpu() };
    // SAFETY: QEMU hands over a valid block for the length of this call.
    let block = unsafe { Block::new(block) };
    if vcpu.aarch32 {
        instrument_undecoded(plugin, block);
    } else {
        instrument(plugin, block, vcpu.el);
    }
}
