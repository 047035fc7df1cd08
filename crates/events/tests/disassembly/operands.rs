// SPDX-License-Identifier: GPL-2.0-or-later
//! Reads the operands of a load or store.

/// `[base, offset]` and what surrounds it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Memory {
    pub base: String,
    pub offset: String,
    /// `!` or an operand behind the bracket.
    pub writeback: bool,
}

/// The memory operands in order. Empty if the text has none, or one that the
/// disassembler leaves as a placeholder.
pub fn memory(operands: &str) -> Vec<Memory> {
    let mut found = Vec::new();
    let mut rest = operands;
    while let Some((_, inside_on)) = rest.split_once('[') {
        let Some((inside, after)) = inside_on.split_once(']') else { break };
        if is_address(inside) {
            found.push(one(inside, after));
        }
        rest = after;
    }
    found
}

/// Tells an address from the lane of a vector, `v0.d[1]`, and from a tile slice.
fn is_address(inside: &str) -> bool {
    inside.starts_with(['x', 'z']) || inside.starts_with("sp")
}

fn one(inside: &str, after: &str) -> Memory {
    let (base, offset) = inside.split_once(',').unwrap_or((inside, ""));
    Memory {
        base: base.trim().to_owned(),
        offset: normal_offset(offset.trim()),
        writeback: after.starts_with('!') || after.trim_start().starts_with(','),
    }
}

/// Immediates in decimal, `#0` and shifts of 0 left out.
fn normal_offset(offset: &str) -> String {
    let parts: Vec<String> = offset.split(' ').map(normal_part).collect();
    let text = parts.join(" ");
    match text.strip_suffix(" #0").unwrap_or(&text) {
        "#0" => String::new(),
        text => text.strip_suffix(", lsl").unwrap_or(text).to_owned(),
    }
}

fn normal_part(part: &str) -> String {
    match part.strip_prefix('#').and_then(number) {
        Some(value) => format!("#{value}"),
        None => part.to_owned(),
    }
}

/// Decimal or hexadecimal, with or without a sign.
pub fn number(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let magnitude = match digits.strip_prefix("0x") {
        Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16).ok()?.cast_signed(),
        None => digits.parse().ok()?,
    };
    Some(sign * magnitude)
}

/// The general operands: registers before the first bracket.
pub fn registers(operands: &str) -> Vec<&str> {
    let before = operands.split_once('[').map_or(operands, |(before, _)| before);
    before.split(',').map(str::trim).filter(|operand| !operand.is_empty()).collect()
}
