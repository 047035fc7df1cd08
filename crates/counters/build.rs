// SPDX-License-Identifier: GPL-2.0-or-later
//! The plugin calls functions of the QEMU that will load it. The linker has to
//! leave them open, in the unit tests too, which call none of them.

fn main() {
    println!("cargo::rustc-link-arg=-Wl,-z,undefs,-z,lazy");
    println!("cargo::rerun-if-changed=build.rs");
}
