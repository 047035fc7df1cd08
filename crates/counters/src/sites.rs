// SPDX-License-Identifier: GPL-2.0-or-later
//! Places in the guest's code that generated code points to when it calls back.

use std::collections::HashMap;

use granule_events::{Access, ExceptionLevel};

use crate::ledger::Slot;
use crate::vcpu::Location;

/// One access of an instruction and the slots of its tag check.
#[derive(Debug, Clone)]
pub struct CheckedAccess {
    pub access: Access,
    /// By [`granule_events::AddressRange`].
    pub slots: [CheckSlots; 2],
}

/// The slots of tag checks in one range of addresses.
#[derive(Debug, Clone, Copy)]
pub struct CheckSlots {
    pub check: Slot,
    pub take_back: Slot,
}

/// An instruction whose accesses may be tag-checked.
#[derive(Debug)]
pub struct AccessSite {
    pub at: Location,
    pub accesses: Vec<CheckedAccess>,
}

/// The first instruction of an exception vector.
#[derive(Debug)]
pub struct VectorSite {
    pub pc: u64,
    /// Byte offset in the vector table.
    pub offset: u64,
    /// Where the exception comes from.
    pub from: ExceptionLevel,
}

/// A place whose call stacks are recorded.
#[derive(Debug)]
pub struct StackSite {
    pub pc: u64,
    pub el: ExceptionLevel,
}

/// Data that generated code points to. It lives for ever, so each place gets
/// one, however often QEMU translates it.
#[derive(Debug, Default)]
pub struct Sites {
    pub accesses: HashMap<(ExceptionLevel, u64, u32), &'static AccessSite>,
    pub vectors: HashMap<u64, &'static VectorSite>,
    pub stacks: HashMap<(ExceptionLevel, u64), &'static StackSite>,
}
