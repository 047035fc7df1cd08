// SPDX-License-Identifier: GPL-2.0-or-later
//! Architectural events of A64 instructions.
//!
//! [`decode`] says what one instruction does: which memory it accesses, which
//! [`Event`]s it causes, and whether it changes state that later counting
//! depends on. [`is_checked`] decides whether an access is compared with an
//! allocation tag, and [`translate`] finds the memory type that decision needs.
//! Nothing here knows about an emulator.
//!
//! Terms and rules are those of the *Arm Architecture Reference Manual for
//! A-profile architecture* (Arm DDI 0487), in these docs "the Arm ARM".
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod barrier;
mod check;
mod decode;
mod event;
mod exception;
mod instruction;
mod list;
mod register;
mod tlbi;
mod walk;

pub use barrier::Barrier;
pub use check::{
    allocation_tag_access, is_checked, AddressRange, Controls, ExceptionLevel, MemoryType,
};
pub use decode::decode;
pub use event::{AtomicKind, Event};
pub use exception::{ExceptionKind, Progress};
pub use instruction::{
    Access, Accesses, Address, Base, Causes, Control, Exemption, Extend, Instruction, MarkKind,
    Offset, Privilege, TagCheck, TcoSource,
};
pub use register::SystemRegister;
pub use tlbi::{Scope, TlbiOp};
pub use walk::{translate, PhysicalMemory, Translation};
