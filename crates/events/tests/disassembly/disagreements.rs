// SPDX-License-Identifier: GPL-2.0-or-later
//! Where a disassembler is not followed, and why.

use super::disassemblers::Text;

/// One reason not to compare a word with a text.
struct Excuse {
    /// Why the text is not followed.
    _why: &'static str,
    applies: fn(u32, &Text) -> bool,
}

/// The complete list. Nothing of QEMU 10.0's `-cpu max` is among the extensions.
const EXCUSES: [Excuse; 12] = [
    Excuse {
        _why: "op0 = 0 is not MRS or MSR (register); both print it as if it were",
        applies: |word, text| {
            let by_encoding = text.operands.contains("s0_");
            is_one_of(text, &["mrs", "msr"]) && by_encoding && !is_pstate(word)
        },
    },
    Excuse {
        _why: "SVE scalar plus scalar with XZR is unallocated; disarm64 does not look",
        applies: |word, text| word >> 16 & 31 == 31 && text.operands.contains(":sve_addr_rx"),
    },
    Excuse {
        _why: "128-bit atomics with XZR as data are unallocated; disarm64 does not look",
        applies: |_, text| {
            begins_with(text, &["ldclrp", "ldsetp", "swpp"]) && text.operands.contains("xzr")
        },
    },
    Excuse {
        _why: "64-byte accesses from odd registers or beyond X22 are unallocated; disarm64 does \
               not look",
        applies: |word, text| {
            begins_with(text, &["ld64b", "st64b"]) && (word & 1 == 1 || word & 31 > 22)
        },
    },
    Excuse {
        _why:
            "memory copy and set with XZR as size is CONSTRAINED UNPREDICTABLE, undefined in QEMU",
        applies: |word, text| {
            begins_with(text, &["cpy", "set"]) && text.operands.starts_with('[') && rn(word) == 31
        },
    },
    Excuse {
        _why: "disarm64 does not look at the size field of FEAT_LRCPC3",
        applies: |word, text| {
            let vector =
                is_one_of(text, &["ldapur", "stlur"]) && word >> 30 != 0 && word >> 23 & 1 == 1;
            let narrow = word >> 31 == 0 && text.operands.contains(":rcpc3_addr");
            vector || narrow && !is_one_of(text, &["ldapur", "stlur"])
        },
    },
    Excuse {
        _why: "SMSTART and SMSTOP with CRm 000x or 1xxx are unallocated; disarm64 does not look",
        applies: |word, text| {
            begins_with(text, &["smst"]) && (word & 0x600 == 0 || word & 0x800 != 0)
        },
    },
    Excuse {
        _why: "a lane of 32 or 64 bits with size 1x is unallocated; disarm64 does not look",
        applies: |word, text| {
            let lane = text.operands.contains(".s }[") || text.operands.contains(".d }[");
            lane && word >> 11 & 1 == 1
        },
    },
    Excuse {
        _why:
            "extensions that are not covered: FEAT_LSUI, FEAT_LSFE, FEAT_THE, FEAT_GCS, FEAT_LSCP, \
               FEAT_MOPS_GO",
        applies: |_, text| is_of_uncovered_extension(text),
    },
    Excuse {
        _why: "not covered: quadword elements of FEAT_SVE2p1",
        applies: |word, text| is_sve_quadword(word, text),
    },
    Excuse {
        _why: "not covered: lists of vectors of FEAT_SME2, and its outer products, which only \
               begin like a store",
        applies: |_, text| {
            let lists = [":sme_zdnx", "_strided:"].iter().any(|part| text.operands.contains(part));
            lists || begins_with(text, &["stmop"])
        },
    },
    Excuse {
        _why: "not covered: ZT0 of FEAT_SME2",
        applies: |_, text| text.operands.contains("zt0"),
    },
];

/// Whether a text is not followed; the decoder then has to say that the word
/// does nothing.
pub fn excused(word: u32, text: &Text) -> bool {
    EXCUSES.iter().any(|excuse| (excuse.applies)(word, text))
}

/// Words whose text is wrong for an instruction that does something; unit tests
/// of the decoder cover them. Both print MSR of the PSTATE fields UAO, ALLINT
/// and PM by their encoding, and disarm64 takes any field with `CRm` = 01xx for
/// one of SVCR.
pub fn misread(word: u32, text: &Text) -> bool {
    let by_encoding = text.operands.contains("s0_");
    let other_than_svcr = text.operands.starts_with("svcr") && word >> 5 & 7 != 3;
    is_pstate(word) && text.mnemonic == "msr" && (by_encoding || other_than_svcr)
}

/// The space of MSR (immediate).
const fn is_pstate(word: u32) -> bool {
    word & 0xfff8_f01f == 0xd500_401f
}

/// Words that no disassembler knows and QEMU executes: load- and store-exclusives
/// whose unused register fields are not all ones, as the Arm ARM says they
/// should be.
pub fn executed_although_unknown(word: u32) -> bool {
    const EXCLUSIVES: (u32, u32) = (0x3f80_0000, 0x0800_0000);
    word & EXCLUSIVES.0 == EXCLUSIVES.1
}

fn is_of_uncovered_extension(text: &Text) -> bool {
    const UNPRIVILEGED_ATOMICS: [&str; 9] =
        ["ldtadd", "ldtclr", "ldtset", "swpt", "ldtxr", "ldatxr", "sttxr", "stltxr", "sttadd"];
    const OTHERS: [&str; 8] = ["ldf", "ldbf", "stf", "stbf", "rcw", "gcsst", "ldtp", "ldtnp"];
    let is_load_store_of_one = begins_with(text, &["ldff1", "ldfa"]) && text.operands.contains('{');
    let unprivileged_cas = begins_with(text, &["cas"]) && text.mnemonic.ends_with('t');
    let more = begins_with(text, &["sttp", "sttnp", "sttclr", "sttset", "setgo"])
        || is_one_of(text, &["ldap", "ldapp", "stlp"]);
    let listed = begins_with(text, &UNPRIVILEGED_ATOMICS) || begins_with(text, &OTHERS);
    (listed || unprivileged_cas || more) && !is_load_store_of_one && !begins_with(text, &["ldff1"])
}

fn is_sve_quadword(word: u32, text: &Text) -> bool {
    let quad = begins_with(text, &["ld1q", "ld2q", "ld3q", "ld4q", "st1q", "st2q", "st3q", "st4q"]);
    let in_sve = word >> 25 & 0xf == 0b0010;
    let single = is_one_of(text, &["ld1w", "ld1d", "st1w", "st1d"]);
    in_sve && (quad || single && is_single_word_of_quadword(word))
}

/// LD1W, LD1D, ST1W and ST1D with 128-bit elements.
fn is_single_word_of_quadword(word: u32) -> bool {
    let (group, form) = (word >> 29, word >> 13 & 7);
    let load = group == 0b101 && (form == 0b001 && word >> 20 & 1 == 1 || form == 0b100);
    let element_below_size = word >> 21 & 3 < word >> 23 & 3;
    let contiguous = form == 0b010 || form == 0b111 && word >> 20 & 1 == 0;
    let store = group == 0b111 && contiguous && element_below_size;
    load || store
}

const fn rn(word: u32) -> u32 {
    word >> 5 & 31
}

fn is_one_of(text: &Text, mnemonics: &[&str]) -> bool {
    mnemonics.contains(&text.mnemonic.as_str())
}

fn begins_with(text: &Text, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| text.mnemonic.starts_with(prefix))
}
