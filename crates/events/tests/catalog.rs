// SPDX-License-Identifier: GPL-2.0-or-later
//! The catalogue of events and this crate name the same things.

use std::collections::BTreeSet;

use granule_events::{
    AddressRange, AtomicKind, Barrier, Event, ExceptionKind, Scope, SystemRegister, TlbiOp,
};
use toml::{Table, Value};

const CATALOG: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../src/granule/events/catalog.toml"));

fn tables(kind: &str) -> Vec<Table> {
    let catalog: Table = CATALOG.parse().expect("the catalogue is TOML");
    let entries = catalog[kind].as_array().expect("an array of tables");
    entries.iter().map(|entry| entry.as_table().expect("a table").clone()).collect()
}

fn text(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}

fn names(kind: &str) -> Vec<String> {
    tables(kind).iter().map(|entry| text(&entry["name"])).collect()
}

/// The patterns of a total.
fn patterns(total: &str) -> Vec<String> {
    let found = tables("total").into_iter().find(|entry| text(&entry["name"]) == total);
    let entry = found.unwrap_or_else(|| panic!("there is a total {total}"));
    entry["leaves"].as_array().expect("an array").iter().map(text).collect()
}

fn sums(total: &str, leaf: &str) -> bool {
    patterns(total).iter().any(|pattern| matches(pattern, leaf))
}

/// Shell patterns with `*` and `[…]`, as the reader of the catalogue has them.
fn matches(pattern: &str, name: &str) -> bool {
    if let Some(rest) = pattern.strip_prefix('*') {
        return (0..=name.len()).any(|place| matches(rest, &name[place..]));
    }
    if let Some((set, rest)) = pattern.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return name.starts_with(|c| set.contains(c)) && matches(rest, &name[1..]);
    }
    match (pattern.chars().next(), name.chars().next()) {
        (None, None) => true,
        (Some(p), Some(n)) => p == n && matches(&pattern[1..], &name[1..]),
        _ => false,
    }
}

/// Every event the crate can report, but for registers without a name.
fn leaves() -> Vec<Event> {
    let plain = [
        Event::Instructions,
        Event::MemAccessRd,
        Event::MemAccessWr,
        Event::TagLd,
        Event::TagSt,
        Event::Isb,
        Event::Svc,
        Event::Eret,
    ];
    let mut all = plain.to_vec();
    all.extend(AddressRange::ALL.map(Event::MemAccessCheckedRd));
    all.extend(AddressRange::ALL.map(Event::MemAccessCheckedWr));
    all.extend(TlbiOp::all().map(Event::Tlbi));
    all.extend(Barrier::all_dsb().map(Event::Dsb));
    all.extend(Barrier::all_dmb().map(Event::Dmb));
    all.extend(SystemRegister::named().flat_map(|it| [Event::Mrs(it), Event::Msr(it)]));
    all.extend(AtomicKind::ALL.map(Event::Atomic));
    all.extend(ExceptionKind::ALL.map(Event::Exception));
    all
}

fn leaf_names() -> BTreeSet<String> {
    leaves().iter().map(Event::name).collect()
}

#[test]
fn names_are_unique() {
    assert_eq!(leaf_names().len(), leaves().len());
    let all: Vec<String> = [names("event"), names("total")].concat();
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
}

#[test]
fn every_leaf_is_described() {
    let described = names("event");
    for leaf in leaf_names() {
        assert!(described.iter().any(|pattern| matches(pattern, &leaf)), "{leaf}");
    }
}

#[test]
fn every_entry_describes_a_leaf() {
    let leaves = leaf_names();
    for pattern in names("event") {
        assert!(leaves.iter().any(|leaf| matches(&pattern, leaf)), "{pattern}");
    }
}

#[test]
fn every_pattern_of_a_total_matches_and_no_total_is_a_leaf() {
    let leaves = leaf_names();
    for total in names("total") {
        assert!(!leaves.contains(&total), "{total}");
        for pattern in patterns(&total) {
            assert!(leaves.iter().any(|leaf| matches(&pattern, leaf)), "{total}: {pattern}");
        }
    }
}

#[test]
fn invalidations_are_local_or_broadcast_as_their_scope_says() {
    for op in TlbiOp::all() {
        let leaf = Event::Tlbi(op).name();
        assert!(sums("tlbi", &leaf), "{leaf}");
        assert_eq!(sums("tlbi.local", &leaf), op.scope() == Scope::Local, "{leaf}");
        assert_eq!(sums("tlbi.broadcast", &leaf), op.scope() == Scope::Broadcast, "{leaf}");
    }
}

#[test]
fn exceptions_are_synchronous_or_not() {
    for kind in ExceptionKind::ALL {
        let leaf = Event::Exception(kind).name();
        assert_eq!(sums("exceptions.asynchronous", &leaf), kind.is_asynchronous(), "{leaf}");
        assert_eq!(sums("exceptions.synchronous", &leaf), !kind.is_asynchronous(), "{leaf}");
    }
}

#[test]
fn atomics_are_lse_or_exclusive() {
    for kind in AtomicKind::ALL {
        let leaf = Event::Atomic(kind).name();
        assert!(sums("atomics.lse", &leaf) != sums("atomics.exclusive", &leaf), "{leaf}");
    }
}

/// Negative control of the pattern matching the tests above rest on.
#[test]
fn patterns_do_not_match_everything() {
    assert!(matches("tlbi.*is", "tlbi.vae1is") && !matches("tlbi.*is", "tlbi.vae1"));
    assert!(matches("tlbi.*[123]", "tlbi.vae1") && !matches("tlbi.*[123]", "tlbi.vae1is"));
    assert!(!matches("isb", "isbx") && !matches("isb", "is"));
}
