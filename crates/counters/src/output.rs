// SPDX-License-Identifier: GPL-2.0-or-later
//! The JSON document with the counts. Raw integers; nothing is rounded or clamped.

use std::collections::BTreeMap;
use std::path::Path;

use granule_events::{Event, ExceptionLevel};
use serde::Serialize;

use crate::counters::Counters;
use crate::ledger::{ByLevel, Place};
use crate::regions::{Region, Regions};

/// The region that is open from reset to power-off.
const MACHINE: &str = "machine";

/// What the plugin noticed about itself. All zero in a healthy run.
#[derive(Debug, Default, Clone, Serialize)]
pub struct Diagnostics {
    /// Exceptions whose instruction could not be read back to be taken off.
    pub unreadable_faults: u64,
    /// Accesses at which the shadow of PSTATE or the controls was wrong
    /// (looked for with `verify=on`).
    pub shadow_mismatches: u64,
    /// Marks whose name could not be read.
    pub unreadable_marks: u64,
    /// Blocks of AArch32 programs, of which only the instructions are counted.
    pub aarch32_blocks: u64,
    /// Iteration marks outside their region.
    pub stray_iterations: u64,
}

#[derive(Serialize)]
struct Document {
    format: &'static str,
    version: u32,
    plugin: &'static str,
    qemu_api: i32,
    vcpus: u32,
    regions: Vec<RegionReport>,
    diagnostics: Diagnostics,
}

#[derive(Serialize)]
struct RegionReport {
    name: String,
    opened: u64,
    closed: u64,
    events: BTreeMap<String, ByLevel>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    places: Vec<PlaceReport>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    iterations: Vec<ByLevel>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stacks: Vec<StackReport>,
}

#[derive(Serialize)]
struct StackReport {
    count: u64,
    /// Innermost first; empty for user space.
    frames: Vec<u64>,
}

#[derive(Serialize)]
struct PlaceReport {
    el: &'static str,
    pc: u64,
    events: BTreeMap<String, i64>,
}

/// All that a document is made of.
#[derive(Debug)]
pub struct Results<'a> {
    /// Plugin API level of the QEMU that ran.
    pub qemu_api: i32,
    pub vcpus: u32,
    pub counters: &'a Counters,
    pub regions: &'a Regions,
    pub diagnostics: &'a Diagnostics,
    /// Whether places are reported.
    pub profile: bool,
    /// Whether all that happened since reset is reported.
    pub machine: bool,
}

impl Results<'_> {
    /// Writes the document, whole or not at all.
    ///
    /// # Errors
    /// One sentence, when the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let document = Document {
            format: "granule-counts",
            version: 1,
            plugin: env!("CARGO_PKG_VERSION"),
            qemu_api: self.qemu_api,
            vcpus: self.vcpus,
            regions: self.reports(),
            diagnostics: self.diagnostics.clone(),
        };
        let text = serde_json::to_vec(&document).map_err(|error| error.to_string())?;
        replace(path, &text)
            .map_err(|error| format!("granule-counters: cannot write {}: {error}", path.display()))
    }

    fn reports(&self) -> Vec<RegionReport> {
        let whole = self.machine.then(|| Region::whole(self.counters));
        let named = self.regions.by_name.iter().map(|(name, region)| (name.as_str(), region));
        whole
            .iter()
            .map(|region| (MACHINE, region))
            .chain(named)
            .map(|(name, region)| report(name, region, self.counters, self.profile))
            .collect()
    }
}

fn report(name: &str, region: &Region, counters: &Counters, profile: bool) -> RegionReport {
    let totals = counters.ledger.totals(&region.counts);
    let places = if profile { counters.ledger.places(&region.counts) } else { Vec::new() };
    RegionReport {
        name: name.to_owned(),
        opened: region.opened,
        closed: region.closed,
        events: totals.into_iter().map(|(event, count)| (event.name(), count)).collect(),
        places: places.iter().map(place).collect(),
        iterations: region.iterations.clone(),
        stacks: region.stacks.iter().map(stack).collect(),
    }
}

fn place(place: &Place) -> PlaceReport {
    PlaceReport {
        el: if place.el == ExceptionLevel::El0 { "u" } else { "k" },
        pc: place.pc,
        events: named(&place.events),
    }
}

fn stack((frames, count): (&Vec<u64>, &u64)) -> StackReport {
    StackReport { count: *count, frames: frames.clone() }
}

fn named(events: &BTreeMap<Event, i64>) -> BTreeMap<String, i64> {
    events.iter().map(|(event, count)| (event.name(), *count)).collect()
}

fn replace(path: &Path, text: &[u8]) -> std::io::Result<()> {
    let partial = path.with_extension("partial");
    std::fs::write(&partial, text)?;
    std::fs::rename(&partial, path)
}
