// SPDX-License-Identifier: GPL-2.0-or-later
//! QEMU plugin that counts the architectural events of an arm64 guest, exactly
//! and without changing what the guest sees.
//!
//! It asks QEMU for instruction-execution callbacks only, never for memory
//! callbacks: QEMU treats the memory of an instruction that has a memory
//! callback as untagged (`probe_access_full` answers `TLB_MMIO`), so a plugin
//! that used them would switch off the tag checks it came to count.
//!
//! | module | what it does |
//! |---|---|
//! | [`blocks`] | cuts a translation block into stretches, one counter each |
//! | [`entry`] | the functions QEMU calls: installation, translation, the end |
//! | [`instrument`], [`sites`] | plants counters and callbacks in a block |
//! | [`callbacks`] | what generated code calls while the guest runs |
//! | [`vcpu`], [`pages`], [`ram`] | the state that decides on tag checks |
//! | [`counters`], [`local`], [`ledger`] | the counts, and what each means |
//! | [`regions`], [`output`] | regions of interest, the JSON document |
//! | [`stacks`] | call stacks of the kernel |
//! | [`qemu`] | safe faces for QEMU's plugin API |

mod arguments;
mod blocks;
mod callbacks;
mod counters;
mod entry;
mod heartbeat;
mod instrument;
mod ledger;
mod local;
mod output;
mod pages;
mod plugin;
mod qemu;
mod ram;
mod regions;
mod sites;
mod stacks;
mod vcpu;
