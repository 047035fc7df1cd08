// SPDX-License-Identifier: GPL-2.0-or-later
//! The `key=value` arguments of `-plugin libgranule_counters.so,…`.

use std::path::PathBuf;

use crate::stacks::Stacks;

/// What the plugin was asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arguments {
    /// Where the counts go, as one JSON document, when the machine powers off.
    pub out: PathBuf,
    /// A file of 8 bytes that is bumped at each exception taken, so that a
    /// watcher can tell a busy guest from a dead one.
    pub heartbeat: Option<PathBuf>,
    /// Report the places (addresses) of the events, not only their totals.
    pub profile: bool,
    /// Count from reset to power-off too, as region `machine`.
    pub machine: bool,
    /// Which call stacks to record: `stacks=EVENT` for each occurrence of an
    /// event or family, `stacks=instructions:PERIOD` for one sample every
    /// PERIOD instructions.
    pub stacks: Option<Stacks>,
    /// Compare the shadow of PSTATE with the real one at each access examined.
    pub verify: bool,
}

impl Arguments {
    /// Parses the arguments as QEMU hands them over, one `key=value` each.
    ///
    /// # Errors
    /// One sentence that names the argument at fault.
    pub fn parse<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let mut parsed = Self::default();
        for argument in arguments {
            parsed.set(argument)?;
        }
        if parsed.out.as_os_str().is_empty() {
            return Err("granule-counters: out=FILE is missing".into());
        }
        Ok(parsed)
    }

    fn set(&mut self, argument: &str) -> Result<(), String> {
        let (key, value) = argument
            .split_once('=')
            .ok_or_else(|| format!("granule-counters: '{argument}' is not key=value"))?;
        match key {
            "out" => self.out = value.into(),
            "heartbeat" => self.heartbeat = Some(value.into()),
            "profile" => self.profile = switch(key, value)?,
            "machine" => self.machine = switch(key, value)?,
            "stacks" => self.stacks = Some(stacks(value)?),
            "verify" => self.verify = switch(key, value)?,
            _ => return Err(format!("granule-counters: unknown argument '{key}'")),
        }
        Ok(())
    }
}

impl Default for Arguments {
    fn default() -> Self {
        Self {
            out: PathBuf::new(),
            heartbeat: None,
            profile: false,
            machine: false,
            stacks: None,
            verify: false,
        }
    }
}

fn stacks(value: &str) -> Result<Stacks, String> {
    let Some(period) = value.strip_prefix("instructions:") else {
        return Ok(Stacks::Each { event: value.to_owned() });
    };
    match period.parse() {
        Ok(period) if period > 0 => Ok(Stacks::Sampled { period }),
        _ => Err(format!("granule-counters: '{period}' is not a number of instructions")),
    }
}

fn switch(key: &str, value: &str) -> Result<bool, String> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("granule-counters: {key} is on or off, not '{value}'")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_argument() {
        let parsed = Arguments::parse([
            "out=c.json",
            "heartbeat=h",
            "profile=on",
            "machine=on",
            "stacks=instructions:10007",
            "verify=off",
        ]);
        let expected = Arguments {
            out: "c.json".into(),
            heartbeat: Some("h".into()),
            profile: true,
            machine: true,
            stacks: Some(Stacks::Sampled { period: 10_007 }),
            verify: false,
        };
        assert_eq!(parsed, Ok(expected));
    }

    #[test]
    fn names_what_is_wrong() {
        for (arguments, part) in [
            (vec!["profile=on"], "out=FILE"),
            (vec!["out=f", "colour=red"], "'colour'"),
            (vec!["out=f", "verify=yes"], "verify is on or off"),
            (vec!["out"], "key=value"),
            (vec!["out=f", "stacks=instructions:0"], "number of instructions"),
        ] {
            let message = Arguments::parse(arguments).unwrap_err();
            assert!(message.contains(part), "{message}");
        }
    }
}
