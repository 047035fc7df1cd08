// SPDX-License-Identifier: GPL-2.0-or-later
//! Options of DSB and DMB.

/// The option of a barrier: shareability domain and access types (Arm ARM,
/// "DSB", "DMB").
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Barrier {
    /// `CRm` of the instruction, 0 to 15.
    option: u8,
    /// DSB only: does not wait for accesses with the XS attribute.
    nxs: bool,
}

impl Barrier {
    /// DSB SY.
    pub const SY: Self = Self::new(15);
    /// DSB ISH.
    pub const ISH: Self = Self::new(11);
    /// DSB ISHST.
    pub const ISHST: Self = Self::new(10);
    /// DSB NSH.
    pub const NSH: Self = Self::new(7);

    /// The barrier with an option, 0 to 15.
    pub(crate) const fn new(option: u8) -> Self {
        Self { option, nxs: false }
    }

    /// DSB with the nXS qualifier; the two high bits of `CRm` name the domain.
    pub(crate) const fn nxs(option: u8) -> Self {
        Self { option, nxs: true }
    }

    /// All barriers DSB can name.
    pub fn all_dsb() -> impl Iterator<Item = Self> {
        (0..16).map(Self::new).chain([2, 6, 10, 14].map(Self::nxs))
    }

    /// All barriers DMB can name.
    pub fn all_dmb() -> impl Iterator<Item = Self> {
        (0..16).map(Self::new)
    }

    /// The option of a DSB in lower case. DSB #0 and #4 are the speculative
    /// store bypass barriers.
    pub const fn dsb_name(self) -> &'static str {
        match (self.nxs, self.option) {
            (true, 0..=3) => "oshnxs",
            (true, 4..=7) => "nshnxs",
            (true, 8..=11) => "ishnxs",
            (true, _) => "synxs",
            (false, 0) => "ssbb",
            (false, 4) => "pssbb",
            _ => self.dmb_name(),
        }
    }

    /// The option of a DMB in lower case. Options without a name act as SY.
    pub const fn dmb_name(self) -> &'static str {
        const NAMES: [&str; 16] = [
            "option0", "oshld", "oshst", "osh", "option4", "nshld", "nshst", "nsh", "option8",
            "ishld", "ishst", "ish", "option12", "ld", "st", "sy",
        ];
        NAMES[(self.option & 15) as usize]
    }
}
