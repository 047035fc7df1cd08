// SPDX-License-Identifier: GPL-2.0-or-later
//! Exceptions by vector and syndrome.

use granule_events::{ExceptionKind, Progress};

/// Vector of synchronous exceptions from EL0.
const SYNC_FROM_EL0: u64 = 0x400;

fn sync(class: u64, iss: u64) -> ExceptionKind {
    ExceptionKind::from_vector(SYNC_FROM_EL0, class << 26 | iss)
}

#[test]
fn vectors_tell_interrupts_whatever_the_syndrome() {
    for table in [0x000_u64, 0x200, 0x400, 0x600] {
        let kind = |entry: u64| ExceptionKind::from_vector(table + entry, 0x15 << 26);
        assert_eq!(kind(0x000), ExceptionKind::Svc);
        assert_eq!(kind(0x080), ExceptionKind::Irq);
        assert_eq!(kind(0x100), ExceptionKind::Fiq);
        assert_eq!(kind(0x180), ExceptionKind::SError);
    }
}

#[test]
fn a_tag_check_fault_is_a_data_abort_of_its_own() {
    for class in [0x24, 0x25] {
        assert_eq!(sync(class, 0b01_0001), ExceptionKind::TagCheckFault);
        assert_eq!(sync(class, 0b00_0111), ExceptionKind::DataAbort); // translation, level 3
        assert_eq!(sync(class, 1 << 6 | 0b01_0001), ExceptionKind::TagCheckFault);
        // a write
    }
    assert_eq!(sync(0x20, 0b01_0001), ExceptionKind::InstructionAbort);
}

#[test]
fn progress_of_the_instruction_at_elr() {
    let progress = |class| sync(class, 0).progress();
    for completed in [0x15, 0x16, 0x17, 0x3c] {
        assert_eq!(progress(completed), Progress::Completed, "{completed:#x}");
    }
    for started in [0x00, 0x07, 0x0d, 0x0e, 0x18, 0x19, 0x1c, 0x24, 0x25, 0x26, 0x27, 0x34] {
        assert_eq!(progress(started), Progress::Started, "{started:#x}");
    }
    for not_started in [0x20, 0x21, 0x22, 0x30, 0x32] {
        assert_eq!(progress(not_started), Progress::NotStarted, "{not_started:#x}");
    }
    assert!(ExceptionKind::Irq.completes() && !ExceptionKind::DataAbort.completes());
}

#[test]
fn every_class_has_a_kind() {
    for class in 0..64 {
        assert!(ExceptionKind::ALL.contains(&sync(class, 0)));
    }
    assert_eq!(sync(0x3f, 0), ExceptionKind::OtherSync);
}
