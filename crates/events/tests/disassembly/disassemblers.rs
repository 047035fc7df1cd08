// SPDX-License-Identifier: GPL-2.0-or-later
//! Two disassemblers behind one face.

use capstone::prelude::*;

/// What one disassembler prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    pub mnemonic: String,
    pub operands: String,
}

impl Text {
    fn of(line: &str) -> Self {
        let line = line.trim().to_lowercase();
        let (mnemonic, operands) = line.split_once(char::is_whitespace).unwrap_or((&line, ""));
        Self { mnemonic: mnemonic.to_owned(), operands: operands.trim().to_owned() }
    }
}

/// A word and what it is called. `None` where a disassembler does not know it.
#[derive(Clone, Debug)]
pub struct Line {
    pub word: u32,
    /// Address it was disassembled at.
    pub address: i64,
    pub capstone: Option<Text>,
    pub disarm: Option<Text>,
}

pub struct Disassemblers {
    capstone: Capstone,
}

impl Disassemblers {
    pub fn new() -> Self {
        let builder = Capstone::new().arm64().mode(arch::arm64::ArchMode::Arm);
        let mut capstone = builder.build().expect("capstone knows AArch64");
        capstone.set_skipdata(true).expect("capstone can skip data");
        Self { capstone }
    }

    /// Disassembles words, as if they stood one behind the other.
    pub fn lines(&self, words: &[u32]) -> Vec<Line> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let found = self.capstone.disasm_all(&bytes, 0).expect("data are skipped");
        assert_eq!(found.len(), words.len());
        words
            .iter()
            .zip(found.iter())
            .zip((0..).step_by(4))
            .map(|((&word, instruction), address)| Line {
                word,
                address,
                capstone: capstone_text(instruction),
                disarm: disarm_text(word),
            })
            .collect()
    }

    /// What capstone calls one word.
    pub fn capstone(&self, word: u32) -> Option<Text> {
        self.lines(&[word]).remove(0).capstone
    }
}

fn capstone_text(instruction: &capstone::Insn<'_>) -> Option<Text> {
    let mnemonic = instruction.mnemonic().filter(|&mnemonic| mnemonic != ".byte")?;
    Some(Text::of(&format!("{mnemonic} {}", instruction.op_str().unwrap_or(""))))
}

fn disarm_text(word: u32) -> Option<Text> {
    let text = Text::of(&disarm64::decoder::decode(word)?.to_string());
    // It prints reserved fields this way, and the registers of two instructions
    // that exist.
    let reserved = text.operands.contains("<undefined>")
        && !matches!(text.mnemonic.as_str(), "stlur" | "ldapur");
    (!reserved).then_some(text)
}
