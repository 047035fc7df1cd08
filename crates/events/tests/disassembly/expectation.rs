// SPDX-License-Identifier: GPL-2.0-or-later
//! What an instruction should do, from its assembler text alone.

use granule_events::SystemRegister;

use super::disassemblers::{Disassemblers, Text};
use super::operands::{memory, number, registers, Memory};
use super::summary::{AccessSummary, Summary};

/// Operations of `LD<op>` and `ST<op>`.
const OPERATIONS: [&str; 8] = ["add", "clr", "eor", "set", "smax", "smin", "umax", "umin"];

/// Expectation for a text; `address` is where it was disassembled.
pub fn of(disassemblers: &Disassemblers, text: &Text, address: i64, word: u32) -> Summary {
    let operands = text.operands.as_str();
    match text.mnemonic.as_str() {
        "prfm" | "prfum" | "rprfm" => Summary::default(),
        m if m.starts_with("prf") => Summary::default(),
        m if is_memory_operation(m, operands) => memory_operation(m, operands),
        m if is_copy_or_set(m, operands) => copy_or_set(m, operands),
        m if m.starts_with("ld") || m.starts_with("st") => load_or_store(m, operands, address),
        "svc" => events(&["svc"]),
        "eret" | "eretaa" | "eretab" => events(&["eret"]),
        m => system(disassemblers, m, operands, word),
    }
}

fn events(names: &[&str]) -> Summary {
    let mut events: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    events.sort();
    Summary { events, accesses: Vec::new() }
}

/// CAS, CASP, SWP, the read-check-write family, `LD<op>` and `ST<op>`.
fn is_memory_operation(mnemonic: &str, operands: &str) -> bool {
    operands.contains('[')
        && (mnemonic.starts_with("cas")
            || mnemonic.starts_with("swp")
            || mnemonic.starts_with("rcw")
            || operation(mnemonic).is_some())
}

/// `ld` or `st` and what follows a known operation.
fn operation(mnemonic: &str) -> Option<(&str, &str)> {
    let (way, rest) = mnemonic.split_at_checked(2)?;
    let suffix = OPERATIONS.iter().find_map(|operation| rest.strip_prefix(operation))?;
    let ordered = suffix.trim_start_matches('p').trim_start_matches('a').trim_start_matches('l');
    (matches!(way, "ld" | "st") && matches!(ordered, "" | "b" | "h")).then_some((way, suffix))
}

fn memory_operation(mnemonic: &str, operands: &str) -> Summary {
    let kind = match mnemonic {
        m if m.starts_with("casp") || m.starts_with("rcwcasp") || m.starts_with("rcwscasp") => {
            "casp"
        }
        m if m.starts_with("cas") || m.starts_with("rcwcas") || m.starts_with("rcwscas") => "cas",
        m if m.starts_with("swp") || m.starts_with("rcwswp") || m.starts_with("rcwsswp") => "swp",
        m if m.starts_with("ld") || m.starts_with("rcw") => "ld_op",
        // A disassembler that does not print the alias of a store.
        _ => "st_op",
    };
    let kind = if kind == "ld_op" && is_store_alias(mnemonic, operands) { "st_op" } else { kind };
    let mut summary = events(&["mem_access_rd", "mem_access_wr", &format!("atomics.{kind}")]);
    let size = element_size(mnemonic, operands).map(|size| size * pair(mnemonic));
    summary.accesses.push(AccessSummary { size, ..access(true, true, operands) });
    summary
}

/// `LD<op>` into the zero register without acquire.
fn is_store_alias(mnemonic: &str, operands: &str) -> bool {
    let acquires = operation(mnemonic).is_some_and(|(_, suffix)| suffix.starts_with('a'));
    let pair = operation(mnemonic).is_some_and(|(_, suffix)| suffix.starts_with('p'));
    let to_zero = registers(operands).get(1).is_some_and(|register| register.ends_with("zr"));
    !acquires && !pair && to_zero
}

fn pair(mnemonic: &str) -> u32 {
    let second = mnemonic.starts_with("casp")
        || mnemonic.starts_with("swpp")
        || mnemonic.starts_with("ldclrp")
        || mnemonic.starts_with("ldsetp")
        || mnemonic.starts_with("rcw")
            && mnemonic.trim_end_matches(['a', 'l']).ends_with('p')
            && !mnemonic.trim_end_matches(['a', 'l']).ends_with("swp")
        || mnemonic.contains("swpp");
    1 + u32::from(second)
}

/// Memory copy and set, not the SVE instructions of the same beginning.
fn is_copy_or_set(mnemonic: &str, operands: &str) -> bool {
    (mnemonic.starts_with("cpy") || mnemonic.starts_with("set")) && operands.starts_with('[')
}

fn copy_or_set(mnemonic: &str, operands: &str) -> Summary {
    let tags = mnemonic.starts_with("setg");
    let copies = mnemonic.starts_with("cpy");
    let stem = match mnemonic {
        m if m.starts_with("setg") || m.starts_with("cpyf") => 4,
        _ => 3,
    };
    let (stage, options) = mnemonic[stem..].split_at(1);
    let found = memory(operands);
    let size = operands.rsplit(", ").nth(usize::from(!copies)).unwrap_or("").trim_end_matches('!');
    let offset = if stage == "p" { String::new() } else { size.to_owned() };
    let end = |reads, place: usize, unprivileged| AccessSummary {
        reads,
        writes: !reads,
        base: found.get(place).map(|memory| memory.base.clone()),
        offset: Some(offset.clone()),
        size: Some(0),
        unprivileged,
        exempt: Some(tags),
    };
    let both = options.starts_with('t');
    let mut summary = match (copies, tags) {
        (true, _) => events(&["mem_access_rd", "mem_access_wr"]),
        (_, true) => events(&["mem_access_wr", "tag_st"]),
        _ => events(&["mem_access_wr"]),
    };
    if copies {
        summary.accesses.push(end(true, 1, both || options.contains("rt")));
    }
    summary.accesses.push(end(false, 0, both || options.contains("wt")));
    summary
}

fn load_or_store(mnemonic: &str, operands: &str, address: i64) -> Summary {
    match mnemonic {
        "ldg" | "ldgm" => return events(&["tag_ld"]),
        "stg" | "st2g" | "stgm" => return events(&["tag_st"]),
        _ => {}
    }
    let stores_tags = matches!(mnemonic, "stzg" | "stz2g" | "stzgm" | "stgp");
    let reads = mnemonic.starts_with("ld");
    let mut names = vec![if reads { "mem_access_rd" } else { "mem_access_wr" }];
    if stores_tags {
        names.push("tag_st");
    }
    names.extend(exclusive(mnemonic));
    let mut summary = events(&names);
    let mut access = access(reads, !reads, operands);
    if stores_tags {
        access.exempt = Some(true);
    }
    if is_literal(operands) {
        access.base = Some("pc".to_owned());
        access.offset = literal_offset(operands, address);
        access.exempt = Some(true);
    }
    if mnemonic.starts_with("ldff1") || operands.starts_with("{za") {
        // Scalar plus scalar, though the assembler leaves XZR out.
        access.exempt = access.base.as_deref().map(|base| base == "vector");
    }
    access.unprivileged = is_unprivileged(mnemonic);
    access.size = transfer_size(mnemonic, operands);
    summary.accesses.push(access);
    summary
}

fn exclusive(mnemonic: &str) -> Option<&'static str> {
    let stem = mnemonic.trim_end_matches(['b', 'h']);
    match stem {
        "ldxr" | "ldaxr" | "ldxp" | "ldaxp" => Some("atomics.load_exclusive"),
        "stxr" | "stlxr" | "stxp" | "stlxp" => Some("atomics.store_exclusive"),
        _ => None,
    }
}

fn is_unprivileged(mnemonic: &str) -> bool {
    mnemonic.starts_with("ldtr") || mnemonic.starts_with("sttr")
}

fn is_literal(operands: &str) -> bool {
    memory(operands).is_empty() && !operands.contains(':') && !operands.contains('[')
}

/// The target is printed as an address, or as a distance by a disassembler that
/// knows no address.
fn literal_offset(operands: &str, address: i64) -> Option<String> {
    let target = number(operands.rsplit_once(", ")?.1.trim_start_matches('#'))?;
    let distance = target - address;
    Some(if distance == 0 { String::new() } else { format!("#{distance}") })
}

/// An access through the first memory operand.
fn access(reads: bool, writes: bool, operands: &str) -> AccessSummary {
    let found = memory(operands).into_iter().next();
    let sve = operands.contains("mul vl") || operands.contains(".s, ") || operands.contains(".d, ");
    AccessSummary {
        reads,
        writes,
        base: found.as_ref().map(base),
        offset: found.as_ref().and_then(|memory| offset(memory, operands, sve)),
        size: None,
        unprivileged: false,
        exempt: found.as_ref().map(exempt),
    }
}

fn base(memory: &Memory) -> String {
    if memory.base.starts_with('z') {
        "vector".to_owned()
    } else {
        memory.base.clone()
    }
}

/// `None` for offsets that the decoder leaves out: vectors, and multiples of the
/// vector length.
fn offset(memory: &Memory, operands: &str, sve: bool) -> Option<String> {
    let hidden = memory.base.starts_with('z')
        || memory.offset.starts_with('z')
        || sve && operands.contains("mul vl");
    (!hidden).then(|| memory.offset.clone())
}

/// The rule for SP, on the text: exempt with an immediate or nothing inside the
/// brackets and no writeback.
fn exempt(memory: &Memory) -> bool {
    let indexed = memory.offset.starts_with(['x', 'w', 'z']);
    memory.base.starts_with('z') || memory.base == "sp" && !memory.writeback && !indexed
}

/// Bytes of a load or store; `None` where the text does not tell easily.
fn transfer_size(mnemonic: &str, operands: &str) -> Option<u32> {
    match mnemonic {
        "stzgm" => return Some(0),
        "stzg" => return Some(16),
        "stz2g" => return Some(32),
        "ld64b" | "st64b" | "st64bv" | "st64bv0" => return Some(64),
        _ => {}
    }
    if operands.starts_with('{') || operands.contains("/z") || operands.contains('p') {
        return structure_size(mnemonic, operands);
    }
    let registers = registers(operands);
    let status = usize::from(exclusive(mnemonic) == Some("atomics.store_exclusive"));
    let data =
        registers.iter().skip(status).filter(|register| register.starts_with(char::is_alphabetic));
    let count = u32::try_from(data.count()).ok()?;
    (count > 0).then(|| element_size(mnemonic, operands).map(|size| size * count)).flatten()
}

/// LD1 to ST4 of SIMD registers: `{v0.8b, v1.8b}` or `{v0.h}[2]`.
fn structure_size(mnemonic: &str, operands: &str) -> Option<u32> {
    let inside = operands.strip_prefix('{')?.split_once('}')?;
    if !inside.0.contains('v') {
        return None;
    }
    let list = inside.0;
    let count = match list.split_once('-') {
        Some((from, to)) => (register_number(to)? + 32 - register_number(from)?) % 32 + 1,
        None => u32::try_from(list.split(',').count()).ok()?,
    };
    let shape = list.split_once('.')?.1.split([',', ' ', '-']).next()?;
    let letter = shape.trim_start_matches(|c: char| c.is_ascii_digit());
    let element = match letter {
        "b" => 1,
        "h" => 2,
        "s" => 4,
        "d" => 8,
        _ => return None,
    };
    let whole = shape.len() > letter.len() && !mnemonic.ends_with('r');
    let lanes = if whole { shape.trim_end_matches(letter).parse().ok()? } else { 1 };
    Some(count * element * lanes)
}

fn register_number(text: &str) -> Option<u32> {
    text.trim().trim_start_matches('v').split('.').next()?.parse().ok()
}

/// Bytes of one register of the transfer.
fn element_size(mnemonic: &str, operands: &str) -> Option<u32> {
    let ordered =
        if mnemonic.starts_with("ldra") { mnemonic } else { mnemonic.trim_end_matches(['a', 'l']) };
    let signed_or_narrow = ["sb", "b"].iter().any(|end| ordered.ends_with(end));
    match ordered {
        "ldpsw" | "ldrsw" | "ldursw" | "ldtrsw" | "ldapursw" => Some(4),
        "ldraa" | "ldrab" => Some(8),
        _ if signed_or_narrow => Some(1),
        m if m.ends_with('h') => Some(2),
        _ => register_size(operands, exclusive(mnemonic) == Some("atomics.store_exclusive")),
    }
}

fn register_size(operands: &str, skip_status: bool) -> Option<u32> {
    let register = *registers(operands).get(usize::from(skip_status))?;
    match register.chars().next()? {
        'b' => Some(1),
        'h' => Some(2),
        'w' | 's' => Some(4),
        'x' | 'd' => Some(8),
        'q' => Some(16),
        _ => None,
    }
}

fn system(disassemblers: &Disassemblers, mnemonic: &str, operands: &str, word: u32) -> Summary {
    match (mnemonic, operands) {
        ("ssbb", _) => events(&["dsb.ssbb"]),
        ("pssbb", _) => events(&["dsb.pssbb"]),
        ("dfb", _) => events(&["dsb.option12"]),
        ("dsb", option) => events(&[&format!("dsb.{}", dsb(option))]),
        ("dmb", option) => events(&[&format!("dmb.{}", barrier(option))]),
        ("isb", _) => events(&["isb"]),
        ("mrs", operands) => move_register("mrs", operands.split_once(", ").map(|two| two.1)),
        ("msr", operands) => move_register("msr", operands.split_once(", ").map(|two| two.0)),
        ("smstart" | "smstop", _) => events(&["msr.svcr"]),
        ("dc", operands) => cache(operands),
        ("tlbi" | "sys", _) => tlbi(disassemblers, word).unwrap_or_else(|| sys(operands)),
        ("gcsstr" | "gcssttr", operands) => load_or_store("str", operands, 0),
        _ => Summary::default(),
    }
}

fn barrier(option: &str) -> String {
    match option.strip_prefix('#').and_then(number) {
        Some(value) => format!("option{value}"),
        None => option.to_owned(),
    }
}

/// DSB #0 and #4 have names of their own.
fn dsb(option: &str) -> String {
    match barrier(option).as_str() {
        "option0" => "ssbb".to_owned(),
        "option4" => "pssbb".to_owned(),
        option => option.to_owned(),
    }
}

fn move_register(way: &str, register: Option<&str>) -> Summary {
    let register = register.unwrap_or("?");
    let name = by_encoding(register).map_or_else(|| register.to_owned(), |known| known.name());
    events(&[&format!("{way}.{name}")])
}

/// A register that the disassembler prints as its encoding, `s3_0_c1_c2_3`.
fn by_encoding(register: &str) -> Option<SystemRegister> {
    let parts = register.strip_prefix('s')?.split('_').map(|part| part.trim_start_matches('c'));
    let numbers: Vec<u16> = parts.map(str::parse).collect::<Result<_, _>>().ok()?;
    let [op0, op1, crn, crm, op2] = numbers[..] else { return None };
    Some(SystemRegister::new(op0, op1, crn, crm, op2))
}

/// DC by address.
fn cache(operands: &str) -> Summary {
    let (operation, register) = operands.split_once(", ").unwrap_or((operands, ""));
    let write = |exempt| AccessSummary {
        reads: false,
        writes: true,
        base: Some(register.to_owned()),
        offset: Some(String::new()),
        size: Some(0),
        unprivileged: false,
        exempt: Some(exempt),
    };
    let (names, accesses): (&[&str], _) = match operation {
        "zva" => (&["mem_access_wr"], vec![write(false)]),
        "gva" => (&["tag_st"], vec![]),
        "gzva" => (&["mem_access_wr", "tag_st"], vec![write(true)]),
        _ => (&[], vec![]),
    };
    Summary { accesses, ..events(names) }
}

/// The operation's name, as the disassembler prints it for the plain form (`CRn`
/// 8) with or without a register.
fn tlbi(disassemblers: &Disassemblers, word: u32) -> Option<Summary> {
    const CRN: u32 = 0xf << 12;
    let crn = (word & CRN) >> 12;
    if !matches!(crn, 8 | 9) || word >> 19 != 0xd508_0000 >> 19 {
        return None;
    }
    let plain = word & !CRN & !0x1f | 8 << 12;
    let name = [plain, plain | 31].into_iter().find_map(|plain| {
        let text = disassemblers.capstone(plain)?;
        let name = text.operands.split(',').next()?.to_owned();
        (text.mnemonic == "tlbi").then_some(name)
    })?;
    let suffix = if crn == 9 { "nxs" } else { "" };
    Some(events(&[&format!("tlbi.{name}{suffix}")]))
}

/// A disassembler without the alias for DC prints SYS.
fn sys(operands: &str) -> Summary {
    match operands.rsplit_once(", ") {
        Some(("#3, c7, c4, #1", register)) => cache(&format!("zva, {register}")),
        Some(("#3, c7, c4, #3", register)) => cache(&format!("gva, {register}")),
        Some(("#3, c7, c4, #4", register)) => cache(&format!("gzva, {register}")),
        _ => Summary::default(),
    }
}
