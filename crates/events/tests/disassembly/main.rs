// SPDX-License-Identifier: GPL-2.0-or-later
//! The decoder compared with disassemblers, by what their text says.

mod disagreements;
mod disassemblers;
mod expectation;
mod operands;
mod report;
mod summary;
mod words;

use disassemblers::Disassemblers;
use report::Report;

/// Compares every word with what the disassemblers print for it.
fn compare(words: impl Iterator<Item = u32>) -> Report {
    let disassemblers = Disassemblers::new();
    let mut report = Report::default();
    let words: Vec<u32> = words.collect();
    for chunk in words.chunks(4096) {
        for line in disassemblers.lines(chunk) {
            report.compare(&disassemblers, &line);
        }
    }
    report
}

/// Every load, store and system opcode with a few registers each.
#[test]
fn agrees_on_every_opcode() {
    let report = compare(words::every_load_store_opcode());
    report.assert_agreement(2_000_000);
}

#[test]
fn agrees_on_every_sve_memory_opcode() {
    let report = compare(words::every_sve_memory_opcode());
    report.assert_agreement(300_000);
}

#[test]
fn agrees_on_every_system_instruction() {
    let report = compare(words::every_system_instruction());
    report.assert_agreement(700_000);
}

#[test]
fn agrees_on_random_words() {
    let report = compare(words::random(3_000_000));
    report.assert_agreement(3_000_000);
}

/// Negative control: a decoder that is wrong somewhere is found out.
#[test]
fn notices_a_wrong_decoder() {
    let disassemblers = Disassemblers::new();
    let ldr = [0xf940_0020];
    let mut line = disassemblers.lines(&ldr).remove(0);
    line.word = 0xf900_0020; // STR, compared with the text of LDR
    let mut report = Report::default();
    report.compare(&disassemblers, &line);
    assert_eq!(report.disagreements(), 2, "one for each disassembler");
}
