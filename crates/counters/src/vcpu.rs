// SPDX-License-Identifier: GPL-2.0-or-later
//! What the plugin keeps of each vCPU: the shadow of the state that decides
//! whether an access is tag-checked.
//!
//! Reading a system register through the plugin API is slow, so the shadow is
//! refreshed only after an instruction that can change it. Generated code marks
//! it stale with a plain store; the next access that depends on it reads the
//! real registers. Nothing is inferred from what the guest *should* have done.

use std::collections::HashMap;
use std::sync::atomic::{fence, Ordering};
use std::sync::Arc;

use granule_events::{
    allocation_tag_access, translate, Access, Address, AddressRange, Base, Controls,
    ExceptionLevel, Offset, PhysicalMemory,
};

use crate::ledger::Slot;
use crate::local::LocalCounters;
use crate::pages::PageCache;
use crate::qemu::{Buffer, PerVcpu, Register};
use crate::ram::Ram;

/// Values of the `checks` word that generated code tests.
pub mod checks {
    /// No access of this vCPU can be tag-checked (PSTATE.TCO is set, or
    /// allocation tags are inaccessible at both exception levels), or nobody
    /// counts.
    pub const OFF: u64 = 0;
    /// Accesses have to be examined.
    pub const ON: u64 = 1;
    /// Something may have changed PSTATE or the controls.
    pub const UNKNOWN: u64 = 2;
}

const PSTATE_TCO: u64 = 1 << 25;

/// Words that generated code sets, for each vCPU.
#[derive(Debug, Clone, Copy)]
pub struct Shared {
    /// One of [`checks`].
    pub checks: PerVcpu,
    /// Not zero when SCTLR, TCR, MAIR or a TTBR may have changed.
    pub controls_stale: PerVcpu,
    /// Instructions since the last call stack was sampled.
    pub since_sample: PerVcpu,
}

impl Shared {
    pub fn new() -> Self {
        Self {
            checks: PerVcpu::new(),
            controls_stale: PerVcpu::new(),
            since_sample: PerVcpu::new(),
        }
    }

    /// Forgets everything that was known of a vCPU.
    pub fn forget(self, vcpu: u32) {
        self.checks.set(vcpu, checks::UNKNOWN);
        self.controls_stale.set(vcpu, 1);
    }
}

/// Handles of the registers the plugin reads.
#[derive(Debug, Clone)]
pub struct Handles {
    general: [Register; 31],
    sp: Register,
    pstate: Register,
    sctlr: Register,
    tcr: Register,
    mair: Register,
    ttbr0: Register,
    ttbr1: Register,
    esr: Register,
    elr: Register,
    spsr: Register,
}

impl Handles {
    /// # Errors
    /// Names the register this QEMU does not offer.
    pub fn find(all: &HashMap<String, Register>) -> Result<Self, String> {
        let get = |name: &str| {
            all.get(name)
                .copied()
                .ok_or_else(|| format!("granule-counters: QEMU offers no register {name}"))
        };
        let mut general = [get("x0")?; 31];
        for (number, register) in general.iter_mut().enumerate() {
            *register = get(&format!("x{number}"))?;
        }
        Ok(Self {
            general,
            sp: get("sp")?,
            pstate: get("cpsr")?,
            sctlr: get("SCTLR")?,
            tcr: get("TCR_EL1")?,
            mair: get("MAIR_EL1")?,
            ttbr0: get("TTBR0_EL1")?,
            ttbr1: get("TTBR1_EL1")?,
            esr: get("ESR_EL1")?,
            elr: get("ELR_EL1")?,
            spsr: get("SPSR_EL1")?,
        })
    }
}

/// The syndrome of an exception just taken to EL1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Syndrome {
    pub esr: u64,
    pub elr: u64,
}

/// Where an instruction is, whatever the virtual address of its page.
///
/// QEMU translates a page once and runs the block at every address the page is
/// mapped at (`CF_PCREL`), so the address of a translated instruction is only
/// one it had at the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    offset_in_page: u64,
    word: u32,
}

impl Location {
    pub fn new(pc: u64, word: u32) -> Self {
        Self { offset_in_page: pc % (1 << crate::pages::PAGE_BITS), word }
    }
}

/// A tag-checked access whose instruction has started.
#[derive(Debug, Clone, Copy)]
pub struct CheckInFlight {
    pub at: Location,
    /// The slot that takes the check back if the instruction does not complete.
    pub take_back: Slot,
}

/// State of one vCPU, used on its own thread only.
#[derive(Debug)]
pub struct Vcpu {
    index: u32,
    handles: Handles,
    buffer: Buffer,
    shared: Shared,
    counters: Arc<LocalCounters>,
    controls: Controls,
    pages: PageCache,
    /// Exception level that executes now: EL1 after an exception, what `SPSR_EL1`
    /// said after an ERET.
    pub el: ExceptionLevel,
    /// Whether a program in AArch32 state executes now.
    pub aarch32: bool,
    /// Checks of the last access examined, one for each access it makes.
    pub in_flight: [Option<CheckInFlight>; 2],
}

impl Vcpu {
    pub fn new(index: u32, handles: Handles, shared: Shared, counters: Arc<LocalCounters>) -> Self {
        Self {
            index,
            handles,
            buffer: Buffer::new(),
            shared,
            counters,
            controls: Controls { sctlr: 0, tcr: 0, mair: 0, ttbr0: 0, ttbr1: 0 },
            pages: PageCache::new(),
            el: ExceptionLevel::El1,
            aarch32: false,
            in_flight: [None; 2],
        }
    }

    /// Counts one in a slot.
    pub fn bump(&self, slot: Slot) {
        self.counters.bump(slot);
    }

    /// Whether accesses have to be examined, with the shadow made current. An
    /// access calls back only while this may be so.
    pub fn examines(&mut self, is_counting: impl Fn() -> bool) -> bool {
        match self.shared.checks.get(self.index) {
            checks::ON => true,
            _ => self.refresh(is_counting) == checks::ON,
        }
    }

    fn refresh(&mut self, is_counting: impl Fn() -> bool) -> u64 {
        self.refresh_controls();
        self.in_flight = [None; 2];
        if !is_counting() {
            self.shared.checks.set(self.index, checks::OFF);
            // Pairs with the fence in `Plugin::start_counting`: either that
            // vCPU sees OFF and overwrites it, or this one sees it counting.
            fence(Ordering::SeqCst);
            if !is_counting() {
                return checks::OFF;
            }
        }
        let state = self.state();
        self.shared.checks.set(self.index, state);
        state
    }

    /// What the `checks` word has to be, from the real PSTATE.
    pub fn state(&mut self) -> u64 {
        let tco = self.read(self.handles.pstate) & PSTATE_TCO != 0;
        let accessible = allocation_tag_access(&self.controls, ExceptionLevel::El0)
            || allocation_tag_access(&self.controls, ExceptionLevel::El1);
        if tco || !accessible {
            checks::OFF
        } else {
            checks::ON
        }
    }

    /// Whether the shadow claims to be current and is not. Call while counting.
    pub fn shadow_differs(&mut self) -> bool {
        let claimed = self.shared.checks.get(self.index);
        let level = self.read(self.handles.pstate) >> 2 & 3;
        let real = if level == 0 { ExceptionLevel::El0 } else { ExceptionLevel::El1 };
        let stale = self.shared.controls_stale.get(self.index) != 0;
        real != self.el
            || (!stale && self.read_controls() != self.controls)
            || (claimed != checks::UNKNOWN && claimed != self.state())
    }

    fn refresh_controls(&mut self) {
        if self.shared.controls_stale.get(self.index) != 0 {
            self.controls = self.read_controls();
            self.shared.controls_stale.set(self.index, 0);
        }
    }

    fn read_controls(&mut self) -> Controls {
        Controls {
            sctlr: self.read(self.handles.sctlr),
            tcr: self.read(self.handles.tcr),
            mair: self.read(self.handles.mair),
            ttbr0: self.read(self.handles.ttbr0),
            ttbr1: self.read(self.handles.ttbr1),
        }
    }

    /// The range of the address of an access about to be made, if it is
    /// tag-checked. Call only while [`Self::examines`] holds.
    pub fn checked_range(
        &mut self,
        access: &Access,
        ram: &Ram,
        generation: u64,
    ) -> Option<AddressRange> {
        let address = self.address(&access.address);
        let checked = self.is_checked_at(address, access, ram, generation)
            || (crosses_page(address, access.size)
                && self.is_checked_at(last_byte(address, access.size), access, ram, generation));
        checked.then(|| AddressRange::of(address))
    }

    fn is_checked_at(&mut self, address: u64, access: &Access, ram: &Ram, generation: u64) -> bool {
        let (controls, pages) = (&self.controls, &mut self.pages);
        let walk = || translate(address, controls, ram).map(|found| found.memory);
        let memory = || pages.memory_type(address, controls.ttbr0, generation, walk);
        granule_events::is_checked(address, access, self.el, false, controls, memory)
    }

    /// Address an instruction is about to access.
    fn address(&mut self, address: &Address) -> u64 {
        let base = match address.base {
            Base::X(number) => self.general(number),
            Base::Sp => self.read(self.handles.sp),
            Base::Pc | Base::Zero => 0,
        };
        let offset = match address.offset {
            Offset::None => 0,
            Offset::Immediate(bytes) => bytes.cast_unsigned(),
            Offset::Register { index, extend, shift } => extend.apply(self.general(index)) << shift,
        };
        base.wrapping_add(offset)
    }

    /// A general-purpose register; number 31 is the zero register.
    pub fn general(&mut self, number: u8) -> u64 {
        match self.handles.general.get(usize::from(number)) {
            Some(&handle) => self.read(handle),
            None => 0,
        }
    }

    /// The syndrome registers; to be called at the first instruction of a vector.
    pub fn syndrome(&mut self) -> Syndrome {
        Syndrome { esr: self.read(self.handles.esr), elr: self.read(self.handles.elr) }
    }

    /// An exception was taken.
    pub fn enter_kernel(&mut self) {
        self.el = ExceptionLevel::El1;
        self.aarch32 = false;
    }

    /// An ERET is about to execute.
    pub fn leave_exception(&mut self) {
        const AARCH32: u64 = 1 << 4;
        let saved = self.read(self.handles.spsr);
        self.aarch32 = saved & AARCH32 != 0;
        self.el = match (self.aarch32, saved >> 2 & 3) {
            (true, _) | (_, 0) => ExceptionLevel::El0,
            _ => ExceptionLevel::El1,
        };
    }

    /// The instruction word at a virtual address; `None` if it is not mapped.
    pub fn instruction(&mut self, pc: u64, ram: &Ram) -> Option<u32> {
        let physical = self.physical(pc, ram)?;
        let bytes = ram.read_u64(physical & !7)?.to_le_bytes();
        let half = if physical & 4 == 0 { &bytes[..4] } else { &bytes[4..] };
        Some(u32::from_le_bytes(half.try_into().ok()?))
    }

    /// The physical address behind a virtual one; `None` if it is not mapped.
    pub fn physical(&mut self, address: u64, ram: &Ram) -> Option<u64> {
        self.refresh_controls();
        Some(translate(address, &self.controls, ram)?.physical)
    }

    /// A kernel address without its pointer authentication code, which lies
    /// above the address bits that `TCR_EL1.T1SZ` leaves (Arm ARM, "Pointer
    /// authentication").
    pub fn without_authentication_code(&self, address: u64) -> u64 {
        let size_offset = self.controls.tcr >> 16 & 0x3f;
        address | u64::MAX << (64 - size_offset)
    }

    /// The string at an address of the current address space.
    pub fn string(&mut self, address: u64, limit: usize) -> Option<String> {
        self.buffer.read_string(address, limit)
    }

    fn read(&mut self, register: Register) -> u64 {
        self.buffer.read_register(register)
    }
}

/// Whether an access reaches into a second page of the smallest size.
fn crosses_page(address: u64, size: u32) -> bool {
    const PAGE: u64 = 1 << crate::pages::PAGE_BITS;
    size > 0 && address % PAGE + u64::from(size) > PAGE
}

fn last_byte(address: u64, size: u32) -> u64 {
    address.wrapping_add(u64::from(size) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_that_ends_with_its_page_does_not_cross() {
        assert!(!crosses_page(0xff8, 8));
        assert!(crosses_page(0xff9, 8));
        assert!(!crosses_page(0x1000, 0));
    }
}
