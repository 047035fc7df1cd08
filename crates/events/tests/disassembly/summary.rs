// SPDX-License-Identifier: GPL-2.0-or-later
//! What is compared: one shape for the decoder and for the disassemblers' text.

use granule_events::{
    decode, Access, Address, Base, Exemption, Extend, Instruction, Offset, Privilege, TagCheck,
};

/// What an instruction does. Parts of an access that the text does not tell are
/// `None` in an expectation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub events: Vec<String>,
    pub accesses: Vec<AccessSummary>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessSummary {
    pub reads: bool,
    pub writes: bool,
    pub base: Option<String>,
    pub offset: Option<String>,
    pub size: Option<u32>,
    pub unprivileged: bool,
    pub exempt: Option<bool>,
}

impl Summary {
    /// What the decoder says.
    pub fn actual(word: u32) -> Self {
        let instruction = decode(word);
        Self {
            events: events(&instruction),
            accesses: instruction.accesses.iter().map(access).collect(),
        }
    }

    /// Whether an expectation fits.
    pub fn fits(&self, expected: &Self) -> bool {
        self.events.len() == expected.events.len()
            && self.events.iter().zip(&expected.events).all(|(actual, e)| is_same_event(actual, e))
            && self.accesses.len() == expected.accesses.len()
            && self.accesses.iter().zip(&expected.accesses).all(|(actual, e)| actual.fits(e))
    }
}

impl AccessSummary {
    fn fits(&self, expected: &Self) -> bool {
        (self.reads, self.writes, self.unprivileged)
            == (expected.reads, expected.writes, expected.unprivileged)
            && unknown_or_same(expected.base.as_ref(), self.base.as_ref())
            && unknown_or_same(expected.offset.as_ref(), self.offset.as_ref())
            && unknown_or_same(expected.size.as_ref(), self.size.as_ref())
            && unknown_or_same(expected.exempt.as_ref(), self.exempt.as_ref())
    }
}

/// A register that has a name only in the disassembler counts by its encoding.
fn is_same_event(actual: &str, expected: &str) -> bool {
    let by_encoding = |way: &str| actual.starts_with(&format!("{way}.s")) && actual.contains("_c");
    actual == expected
        || ["mrs", "msr"].iter().any(|way| expected.starts_with(way) && by_encoding(way))
}

fn unknown_or_same<T: PartialEq>(expected: Option<&T>, actual: Option<&T>) -> bool {
    expected.is_none() || expected == actual
}

/// Names in order.
fn events(instruction: &Instruction) -> Vec<String> {
    let mut names: Vec<String> = instruction.causes.iter().map(|event| event.name()).collect();
    names.sort();
    names
}

fn access(access: &Access) -> AccessSummary {
    AccessSummary {
        reads: access.reads,
        writes: access.writes,
        base: Some(base(access)),
        offset: Some(offset(&access.address)),
        size: Some(access.size),
        unprivileged: access.privilege == Privilege::Unprivileged,
        exempt: Some(access.tag_check != TagCheck::Eligible),
    }
}

fn base(access: &Access) -> String {
    match (access.tag_check, access.address.base) {
        (TagCheck::Exempt(Exemption::VectorAddress), _) => "vector".to_owned(),
        (_, Base::X(number)) => format!("x{number}"),
        (_, Base::Sp) => "sp".to_owned(),
        (_, Base::Pc) => "pc".to_owned(),
        (_, Base::Zero) => "xzr".to_owned(),
    }
}

/// As assemblers write it, with a decimal immediate and without a shift of 0.
fn offset(address: &Address) -> String {
    match address.offset {
        Offset::None | Offset::Immediate(0) => String::new(),
        Offset::Immediate(bytes) => format!("#{bytes}"),
        Offset::Register { index, extend, shift } => register_offset(index, extend, shift),
    }
}

fn register_offset(index: u8, extend: Extend, shift: u8) -> String {
    let (letter, word) = match extend {
        Extend::Uxtw => ('w', "uxtw"),
        Extend::Sxtw => ('w', "sxtw"),
        Extend::Uxtx => ('x', "lsl"),
        Extend::Sxtx => ('x', "sxtx"),
    };
    let register = if index == 31 { format!("{letter}zr") } else { format!("{letter}{index}") };
    match (word, shift) {
        ("lsl", 0) => register,
        (word, 0) => format!("{register}, {word}"),
        (word, shift) => format!("{register}, {word} #{shift}"),
    }
}
