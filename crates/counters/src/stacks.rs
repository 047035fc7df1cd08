// SPDX-License-Identifier: GPL-2.0-or-later
//! Call stacks of the kernel, by its frame records.
//!
//! An arm64 kernel keeps a chain of frame records (AAPCS64, "The Frame
//! Pointer"): X29 points at the caller's X29 and the return address. For an
//! event that an instruction names (a TLBI, a barrier) every occurrence is
//! recorded as it starts; one that faults is recorded again when it is repeated.
//! Instructions themselves are sampled, once every so many executed, at the start
//! of a block.

use granule_events::{Event, Instruction, PhysicalMemory};

use crate::ram::Ram;
use crate::vcpu::Vcpu;

/// Frames beyond this are not recorded.
const DEPTH: usize = 64;

/// Which stacks to record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stacks {
    /// One stack every `period` instructions of a vCPU.
    Sampled { period: u64 },
    /// The stack at each instruction that causes this event, or one of this
    /// family (`tlbi` stands for `tlbi.vae1is` too).
    Each { event: String },
}

impl Stacks {
    /// Whether the stack at each execution of an instruction is wanted.
    pub fn wants(&self, instruction: &Instruction) -> bool {
        match self {
            Self::Sampled { .. } => false,
            Self::Each { event } => instruction.causes.iter().any(|cause| belongs(cause, event)),
        }
    }
}

fn belongs(cause: Event, event: &str) -> bool {
    let name = cause.name();
    name.strip_prefix(event).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The stack of a vCPU about to execute the instruction at `pc`: `pc`, then the
/// call sites, innermost first.
pub fn walk(vcpu: &mut Vcpu, ram: &Ram, pc: u64) -> Vec<u64> {
    let mut frames = vec![pc];
    let mut frame = vcpu.general(29);
    while frames.len() < DEPTH {
        let Some((caller, return_address)) = record(vcpu, ram, frame) else { break };
        if return_address == 0 {
            break;
        }
        // The instruction before the return address is the call.
        frames.push(vcpu.without_authentication_code(return_address) - 4);
        frame = caller;
    }
    frames
}

/// Bit 55 chooses the kernel's range of addresses.
fn is_kernel(address: u64) -> bool {
    address >> 55 & 1 == 1
}

fn record(vcpu: &mut Vcpu, ram: &Ram, frame: u64) -> Option<(u64, u64)> {
    // On entry from EL0, X29 is still the program's.
    if !is_kernel(frame) || !frame.is_multiple_of(8) {
        return None;
    }
    let mut word = |address| ram.read_u64(vcpu.physical(address, ram)?);
    Some((word(frame)?, word(frame + 8)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_has_its_members_and_no_others() {
        assert!(belongs(Event::Isb, "isb"));
        assert!(belongs(Event::TagLd, "tag_ld"));
        assert!(!belongs(Event::Isb, "is"));
    }
}
