// SPDX-License-Identifier: GPL-2.0-or-later
//! Safe faces for the few parts of QEMU's plugin API this plugin uses.
//!
//! All `unsafe` that speaks to QEMU about registers, memory, scoreboards and
//! translation blocks is in this file; `callbacks.rs` holds the functions that
//! QEMU calls. API: `include/qemu/qemu-plugin.h`, version 4 (QEMU 10.0).

use std::collections::HashMap;
use std::ffi::{c_char, c_void, CStr};

use qemu_plugin_sys as sys;

extern "C" {
    // From GLib, which every QEMU is linked with.
    fn g_byte_array_new() -> *mut sys::GByteArray;
    fn g_array_free(array: *mut sys::GArray, free_segment: i32) -> *mut c_char;
}

/// A callback on the execution of an instruction.
pub type ExecutionCallback = unsafe extern "C" fn(u32, *mut c_void);

/// Handle of a register of the guest; the same on every vCPU of a machine.
#[derive(Debug, Clone, Copy)]
pub struct Register(*mut sys::qemu_plugin_register);

// SAFETY: the handle is an opaque number dressed as a pointer (QEMU's
// create_register_handles); it is never dereferenced here.
unsafe impl Send for Register {}
// SAFETY: as above.
unsafe impl Sync for Register {}

/// The registers of the current vCPU by QEMU's names (`x0`, `cpsr`, `TCR_EL1`).
/// To be called from a vCPU-init callback.
pub fn registers() -> HashMap<String, Register> {
    // SAFETY: called on a vCPU thread; QEMU returns an array of descriptors
    // that the caller frees, with names that live as long as the machine. GLib
    // aligns the data of an array for any type.
    #[allow(clippy::cast_ptr_alignment)]
    unsafe {
        let array = sys::qemu_plugin_get_registers();
        let first = (*array).data.cast::<sys::qemu_plugin_reg_descriptor>();
        let found = std::slice::from_raw_parts(first, (*array).len as usize)
            .iter()
            .map(|descriptor| (text(descriptor.name), Register(descriptor.handle)))
            .collect();
        g_array_free(array, 1);
        found
    }
}

/// # Safety
/// `string` is a NUL-terminated string.
unsafe fn text(string: *const c_char) -> String {
    // SAFETY: by this function's own contract.
    unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
}

/// A buffer that QEMU fills with a register or with guest memory. One for each
/// vCPU, because growing it is the only allocation on the way.
#[derive(Debug)]
pub struct Buffer(*mut sys::GByteArray);

// SAFETY: a Buffer belongs to one vCPU and is used on that vCPU's thread only.
unsafe impl Send for Buffer {}

impl Buffer {
    pub fn new() -> Self {
        // SAFETY: no precondition; the array is never freed, as vCPUs live as
        // long as the process.
        Self(unsafe { g_byte_array_new() })
    }

    /// Value of a register of the current vCPU; registers shorter than 64 bits
    /// are zero-extended. To be called from a callback that asked for registers.
    pub fn read_register(&mut self, register: Register) -> u64 {
        // SAFETY: the array is valid, the handle came from `registers()`, and
        // QEMU appends at most the register's size in bytes.
        unsafe {
            // What g_byte_array_set_size does, without the call: this runs at
            // each access examined.
            (*self.0).len = 0;
            let size = sys::qemu_plugin_read_register(register.0, self.0);
            match size {
                8 => u64::from_le_bytes((*self.0).data.cast::<[u8; 8]>().read_unaligned()),
                4 => {
                    u64::from(u32::from_le_bytes((*self.0).data.cast::<[u8; 4]>().read_unaligned()))
                }
                _ => panic!("QEMU gave {size} bytes for a register"),
            }
        }
    }

    /// The NUL-terminated string at a virtual address of the current vCPU,
    /// without what lies beyond `limit` bytes; `None` where it cannot be read.
    pub fn read_string(&mut self, address: u64, limit: usize) -> Option<String> {
        let mut bytes = Vec::new();
        for offset in 0..limit as u64 {
            match self.read_byte(address.wrapping_add(offset))? {
                0 => break,
                byte => bytes.push(byte),
            }
        }
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn read_byte(&mut self, address: u64) -> Option<u8> {
        // SAFETY: the array is valid; QEMU resizes it to one byte and fills it.
        unsafe {
            let read = sys::qemu_plugin_read_memory_vaddr(address, self.0, 1);
            read.then(|| *(*self.0).data)
        }
    }
}

/// One 64-bit value for each vCPU that generated code can add to, set or test.
#[derive(Debug, Clone, Copy)]
pub struct PerVcpu(sys::qemu_plugin_u64);

// SAFETY: the scoreboard outlives every use (it is never freed), and QEMU gives
// each vCPU an element of its own.
unsafe impl Send for PerVcpu {}
// SAFETY: as above.
unsafe impl Sync for PerVcpu {}

impl PerVcpu {
    /// A value of its own.
    pub fn new() -> Self {
        Scoreboard::new(1).value(0)
    }

    pub fn get(self, vcpu: u32) -> u64 {
        // SAFETY: vCPU indices come from QEMU, after that vCPU's init.
        unsafe { sys::qemu_plugin_u64_get(self.0, vcpu) }
    }

    pub fn set(self, vcpu: u32, value: u64) {
        // SAFETY: as in `get`.
        unsafe { sys::qemu_plugin_u64_set(self.0, vcpu, value) }
    }
}

/// `length` values for each vCPU.
#[derive(Debug, Clone, Copy)]
pub struct Scoreboard {
    board: *mut sys::qemu_plugin_scoreboard,
    length: usize,
}

// SAFETY: as for PerVcpu.
unsafe impl Send for Scoreboard {}
// SAFETY: as for PerVcpu.
unsafe impl Sync for Scoreboard {}

impl Scoreboard {
    pub fn new(length: usize) -> Self {
        // SAFETY: no precondition.
        let board = unsafe { sys::qemu_plugin_scoreboard_new(length * size_of::<u64>()) };
        Self { board, length }
    }

    pub fn value(self, index: usize) -> PerVcpu {
        assert!(index < self.length, "index {index} is outside the scoreboard");
        PerVcpu(sys::qemu_plugin_u64 { score: self.board, offset: index * size_of::<u64>() })
    }

    /// Adds the values of one vCPU to `sums`, element by element.
    pub fn add_into(self, vcpu: u32, sums: &mut [u64]) {
        // SAFETY: the element of an initialised vCPU has `length` aligned
        // values. Another vCPU may be adding to them meanwhile; a volatile read
        // gives the value before or after.
        unsafe {
            let first = sys::qemu_plugin_scoreboard_find(self.board, vcpu).cast::<u64>();
            for (index, sum) in sums.iter_mut().enumerate().take(self.length) {
                *sum += first.add(index).read_volatile();
            }
        }
    }
}

/// Number of vCPUs that have started.
pub fn vcpus() -> u32 {
    // SAFETY: no precondition.
    u32::try_from(unsafe { sys::qemu_plugin_num_vcpus() }).expect("QEMU counts vCPUs from 0")
}

/// A translation block while it is being translated.
#[derive(Debug, Clone, Copy)]
pub struct Block(*mut sys::qemu_plugin_tb);

impl Block {
    /// # Safety
    /// `block` is what QEMU handed to a translation callback, still running.
    pub unsafe fn new(block: *mut sys::qemu_plugin_tb) -> Self {
        Self(block)
    }

    pub fn instructions(self) -> impl Iterator<Item = TranslatedInstruction> {
        // SAFETY: the block is valid while its translation callback runs, and
        // the indices lie below its length.
        let count = unsafe { sys::qemu_plugin_tb_n_insns(self.0) };
        (0..count).map(move |index| {
            // SAFETY: as above.
            TranslatedInstruction(unsafe { sys::qemu_plugin_tb_get_insn(self.0, index) })
        })
    }
}

/// One instruction of a block while it is being translated.
#[derive(Debug, Clone, Copy)]
pub struct TranslatedInstruction(*mut sys::qemu_plugin_insn);

/// When generated code calls back.
#[derive(Debug, Clone, Copy)]
pub enum When {
    Always,
    /// Only while the value of the executing vCPU is not zero.
    NonZero(PerVcpu),
    /// Only while it is at least this much.
    AtLeast(PerVcpu, u64),
}

impl TranslatedInstruction {
    pub fn address(self) -> u64 {
        // SAFETY: valid while the translation callback runs.
        unsafe { sys::qemu_plugin_insn_vaddr(self.0) }
    }

    pub fn word(self) -> u32 {
        let mut bytes = [0u8; 4];
        // SAFETY: QEMU writes at most 4 bytes.
        unsafe { sys::qemu_plugin_insn_data(self.0, bytes.as_mut_ptr().cast(), bytes.len()) };
        u32::from_le_bytes(bytes)
    }

    /// Adds to `counter` each time the instruction starts.
    pub fn add(self, counter: PerVcpu, addend: u64) {
        self.inline(sys::qemu_plugin_op::QEMU_PLUGIN_INLINE_ADD_U64, counter, addend);
    }

    /// Sets `value` each time the instruction starts.
    pub fn store(self, value: PerVcpu, to: u64) {
        self.inline(sys::qemu_plugin_op::QEMU_PLUGIN_INLINE_STORE_U64, value, to);
    }

    fn inline(self, operation: sys::qemu_plugin_op, entry: PerVcpu, immediate: u64) {
        // SAFETY: valid while the translation callback runs; the scoreboard is
        // never freed.
        unsafe {
            sys::qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
                self.0, operation, entry.0, immediate,
            );
        }
    }

    /// Calls back before the instruction executes, with registers readable.
    ///
    /// The callback receives `data`, which is why `data` must live for ever:
    /// generated code outlives every scope.
    pub fn call<T: Sync>(self, callback: ExecutionCallback, when: When, data: &'static T) {
        let flags = sys::qemu_plugin_cb_flags::QEMU_PLUGIN_CB_R_REGS;
        let data = std::ptr::from_ref(data).cast_mut().cast::<c_void>();
        // SAFETY: valid while the translation callback runs; `data` is static
        // and shared.
        unsafe {
            let Some((condition, value, limit)) = when.condition() else {
                sys::qemu_plugin_register_vcpu_insn_exec_cb(self.0, Some(callback), flags, data);
                return;
            };
            sys::qemu_plugin_register_vcpu_insn_exec_cond_cb(
                self.0,
                Some(callback),
                flags,
                condition,
                value.0,
                limit,
                data,
            );
        }
    }
}

impl When {
    fn condition(self) -> Option<(sys::qemu_plugin_cond, PerVcpu, u64)> {
        match self {
            Self::Always => None,
            Self::NonZero(value) => Some((sys::qemu_plugin_cond::QEMU_PLUGIN_COND_NE, value, 0)),
            Self::AtLeast(value, limit) => {
                Some((sys::qemu_plugin_cond::QEMU_PLUGIN_COND_GE, value, limit))
            }
        }
    }
}
