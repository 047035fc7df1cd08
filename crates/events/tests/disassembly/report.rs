// SPDX-License-Identifier: GPL-2.0-or-later
//! Collects what does not agree.

use std::collections::BTreeMap;

use super::disagreements::{excused, executed_although_unknown, misread};
use super::disassemblers::{Disassemblers, Line, Text};
use super::expectation;
use super::summary::Summary;

#[derive(Default)]
pub struct Report {
    compared: usize,
    known: usize,
    /// By the mnemonic, so that one mistake shows once.
    found: BTreeMap<String, (usize, String)>,
}

impl Report {
    /// Compares the decoder with both texts of a word. What neither
    /// disassembler knows has to do nothing.
    pub fn compare(&mut self, disassemblers: &Disassemblers, line: &Line) {
        self.compared += 1;
        let actual = Summary::actual(line.word);
        let texts = [("capstone", &line.capstone, line.address), ("disarm64", &line.disarm, 0)];
        let mut known = false;
        for (name, text, address) in texts {
            let Some(text) = text else { continue };
            known = true;
            if misread(line.word, text) {
                continue;
            }
            let expected = if excused(line.word, text) {
                Summary::default()
            } else {
                expectation::of(disassemblers, text, address, line.word)
            };
            if !actual.fits(&expected) {
                self.note(name, line.word, Some(text), &actual, &expected);
            }
        }
        self.known += usize::from(known);
        if !known && !executed_although_unknown(line.word) && actual != Summary::default() {
            self.note("neither", line.word, None, &actual, &Summary::default());
        }
    }

    fn note(
        &mut self,
        who: &str,
        word: u32,
        text: Option<&Text>,
        actual: &Summary,
        expected: &Summary,
    ) {
        let key = match text {
            Some(text) => format!("{who} {}", text.mnemonic),
            None => format!("{who} {:?}", actual.events),
        };
        let example =
            || format!("{word:08x} {text:?}\n  is       {actual:?}\n  expected {expected:?}");
        self.found.entry(key).or_insert_with(|| (0, example())).0 += 1;
    }

    pub fn disagreements(&self) -> usize {
        self.found.values().map(|(count, _)| count).sum()
    }

    /// Fails with an example of each kind of disagreement.
    pub fn assert_agreement(&self, at_least: usize) {
        for (key, (count, example)) in &self.found {
            eprintln!("{key}: {count} words, such as {example}");
        }
        eprintln!("{} words, {} known to a disassembler", self.compared, self.known);
        assert!(self.compared >= at_least, "only {} words", self.compared);
        assert!(self.found.is_empty(), "{} words disagree", self.disagreements());
    }
}
