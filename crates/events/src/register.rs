// SPDX-License-Identifier: GPL-2.0-or-later
//! System registers by their encoding.

mod names;

/// A system register: op0 (2 bits), op1 (3), `CRn` (4), `CRm` (4) and op2 (3) of MRS
/// and MSR, from the most significant bit down.
///
/// The PSTATE fields `DAIFSet` and `DAIFClr`, which only MSR (immediate) can write,
/// have op0 = 0, as that instruction has. Other fields it writes stand for the
/// register of the same name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SystemRegister(pub u16);

impl SystemRegister {
    /// Tag check override, a field of PSTATE.
    pub const TCO: Self = Self::new(3, 3, 4, 2, 7);
    /// Privileged access never, a field of PSTATE.
    pub const PAN: Self = Self::new(3, 0, 4, 2, 3);
    /// User access override, a field of PSTATE.
    pub const UAO: Self = Self::new(3, 0, 4, 2, 4);
    /// Stack pointer select, a field of PSTATE.
    pub const SPSEL: Self = Self::new(3, 0, 4, 2, 0);
    /// Data independent timing, a field of PSTATE.
    pub const DIT: Self = Self::new(3, 3, 4, 2, 5);
    /// Speculative store bypass safe, a field of PSTATE.
    pub const SSBS: Self = Self::new(3, 3, 4, 2, 6);
    /// All interrupt mask, a field of PSTATE.
    pub const ALLINT: Self = Self::new(3, 0, 4, 3, 0);
    /// Profiling exception mask, a field of PSTATE.
    pub const PM: Self = Self::new(3, 0, 4, 3, 1);
    /// Streaming vector control.
    pub const SVCR: Self = Self::new(3, 3, 4, 2, 2);
    /// Sets interrupt masks; MSR (immediate) only.
    pub const DAIFSET: Self = Self::new(0, 3, 4, 0, 6);
    /// Clears interrupt masks; MSR (immediate) only.
    pub const DAIFCLR: Self = Self::new(0, 3, 4, 0, 7);
    /// System control.
    pub const SCTLR_EL1: Self = Self::new(3, 0, 1, 0, 0);
    /// Translation control.
    pub const TCR_EL1: Self = Self::new(3, 0, 2, 0, 2);
    /// Translation table base, lower range of addresses.
    pub const TTBR0_EL1: Self = Self::new(3, 0, 2, 0, 0);
    /// Translation table base, upper range of addresses.
    pub const TTBR1_EL1: Self = Self::new(3, 0, 2, 0, 1);
    /// Memory attributes that descriptors index.
    pub const MAIR_EL1: Self = Self::new(3, 0, 10, 2, 0);
    /// Vector base address.
    pub const VBAR_EL1: Self = Self::new(3, 0, 12, 0, 0);
    /// Tag faults of EL1.
    pub const TFSR_EL1: Self = Self::new(3, 0, 5, 6, 0);
    /// Tag faults of EL0.
    pub const TFSRE0_EL1: Self = Self::new(3, 0, 5, 6, 1);

    /// The register of an encoding. Each part must fit its width.
    pub const fn new(op0: u16, op1: u16, crn: u16, crm: u16, op2: u16) -> Self {
        Self(op0 << 14 | op1 << 11 | crn << 7 | crm << 3 | op2)
    }

    /// Its name in lower case, or `s<op0>_<op1>_c<CRn>_c<CRm>_<op2>` if it has
    /// none here.
    pub fn name(&self) -> String {
        match names::NAMES.binary_search_by_key(self, |&(register, _)| register) {
            Ok(place) => names::NAMES[place].1.to_owned(),
            Err(_) => self.generic_name(),
        }
    }

    /// The registers that have a name, in the order of their encodings.
    pub fn named() -> impl Iterator<Item = Self> {
        names::NAMES.iter().map(|&(register, _)| register)
    }

    fn generic_name(self) -> String {
        let Self(code) = self;
        let (op0, op1, op2) = (code >> 14, code >> 11 & 7, code & 7);
        format!("s{op0}_{op1}_c{}_c{}_{op2}", code >> 7 & 15, code >> 3 & 15)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_unique() {
        assert!(names::NAMES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        let mut names: Vec<_> = names::NAMES.iter().map(|entry| entry.1).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn a_register_without_a_name_shows_its_encoding() {
        assert_eq!(SystemRegister::new(3, 0, 1, 2, 7).name(), "s3_0_c1_c2_7");
        assert_eq!(SystemRegister::TFSR_EL1.name(), "tfsr_el1");
        assert_eq!(SystemRegister::TCO.name(), "tco");
    }
}
