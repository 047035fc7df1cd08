// SPDX-License-Identifier: GPL-2.0-or-later
//! TLB maintenance instructions.

/// A TLB maintenance operation: an alias of SYS (Arm ARM, "A64 System
/// instructions for TLB maintenance").
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TlbiOp {
    /// Place in [`OPERATIONS`].
    index: u8,
    /// Does not wait for accesses with the XS attribute.
    nxs: bool,
}

/// How far an invalidation reaches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Scope {
    /// The PE that executes it.
    Local,
    /// All PEs of the Inner or the Outer Shareable domain.
    Broadcast,
}

impl TlbiOp {
    /// The operation of `SYS #op1, CRn, CRm, #op2`; `None` if it is not one.
    /// `CRn` is 8, or 9 for the nXS form.
    pub fn from_sys(op1: u8, crn: u8, crm: u8, op2: u8) -> Option<Self> {
        if !matches!(crn, 8 | 9) {
            return None;
        }
        let key = (op1, crm, op2);
        let index = OPERATIONS.binary_search_by_key(&key, |&(op1, crm, op2, _)| (op1, crm, op2));
        Some(Self { index: u8::try_from(index.ok()?).ok()?, nxs: crn == 9 })
    }

    /// Every operation.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..)
            .zip(OPERATIONS)
            .flat_map(|(index, _)| [Self { index, nxs: false }, Self { index, nxs: true }])
    }

    /// The operand of TLBI in lower case, such as `vae1is` or `rvale1isnxs`.
    pub fn name(self) -> String {
        let base = self.base_name();
        if self.nxs {
            format!("{base}nxs")
        } else {
            base.to_owned()
        }
    }

    /// Who is told to invalidate.
    pub fn scope(self) -> Scope {
        match self.base_name() {
            name if name.ends_with("is") || name.ends_with("os") => Scope::Broadcast,
            _ => Scope::Local,
        }
    }

    fn base_name(self) -> &'static str {
        OPERATIONS[usize::from(self.index)].3
    }
}

/// op1, `CRm`, op2 and name, in that order.
const OPERATIONS: &[(u8, u8, u8, &str)] = &[
    (0, 1, 0, "vmalle1os"),
    (0, 1, 1, "vae1os"),
    (0, 1, 2, "aside1os"),
    (0, 1, 3, "vaae1os"),
    (0, 1, 5, "vale1os"),
    (0, 1, 7, "vaale1os"),
    (0, 2, 1, "rvae1is"),
    (0, 2, 3, "rvaae1is"),
    (0, 2, 5, "rvale1is"),
    (0, 2, 7, "rvaale1is"),
    (0, 3, 0, "vmalle1is"),
    (0, 3, 1, "vae1is"),
    (0, 3, 2, "aside1is"),
    (0, 3, 3, "vaae1is"),
    (0, 3, 5, "vale1is"),
    (0, 3, 7, "vaale1is"),
    (0, 5, 1, "rvae1os"),
    (0, 5, 3, "rvaae1os"),
    (0, 5, 5, "rvale1os"),
    (0, 5, 7, "rvaale1os"),
    (0, 6, 1, "rvae1"),
    (0, 6, 3, "rvaae1"),
    (0, 6, 5, "rvale1"),
    (0, 6, 7, "rvaale1"),
    (0, 7, 0, "vmalle1"),
    (0, 7, 1, "vae1"),
    (0, 7, 2, "aside1"),
    (0, 7, 3, "vaae1"),
    (0, 7, 5, "vale1"),
    (0, 7, 7, "vaale1"),
    (4, 0, 1, "ipas2e1is"),
    (4, 0, 2, "ripas2e1is"),
    (4, 0, 5, "ipas2le1is"),
    (4, 0, 6, "ripas2le1is"),
    (4, 1, 0, "alle2os"),
    (4, 1, 1, "vae2os"),
    (4, 1, 4, "alle1os"),
    (4, 1, 5, "vale2os"),
    (4, 1, 6, "vmalls12e1os"),
    (4, 2, 1, "rvae2is"),
    (4, 2, 5, "rvale2is"),
    (4, 3, 0, "alle2is"),
    (4, 3, 1, "vae2is"),
    (4, 3, 4, "alle1is"),
    (4, 3, 5, "vale2is"),
    (4, 3, 6, "vmalls12e1is"),
    (4, 4, 0, "ipas2e1os"),
    (4, 4, 1, "ipas2e1"),
    (4, 4, 2, "ripas2e1"),
    (4, 4, 3, "ripas2e1os"),
    (4, 4, 4, "ipas2le1os"),
    (4, 4, 5, "ipas2le1"),
    (4, 4, 6, "ripas2le1"),
    (4, 4, 7, "ripas2le1os"),
    (4, 5, 1, "rvae2os"),
    (4, 5, 5, "rvale2os"),
    (4, 6, 1, "rvae2"),
    (4, 6, 5, "rvale2"),
    (4, 7, 0, "alle2"),
    (4, 7, 1, "vae2"),
    (4, 7, 4, "alle1"),
    (4, 7, 5, "vale2"),
    (4, 7, 6, "vmalls12e1"),
    (6, 1, 0, "alle3os"),
    (6, 1, 1, "vae3os"),
    (6, 1, 4, "paallos"),
    (6, 1, 5, "vale3os"),
    (6, 2, 1, "rvae3is"),
    (6, 2, 5, "rvale3is"),
    (6, 3, 0, "alle3is"),
    (6, 3, 1, "vae3is"),
    (6, 3, 5, "vale3is"),
    (6, 4, 3, "rpaos"),
    (6, 4, 7, "rpalos"),
    (6, 5, 1, "rvae3os"),
    (6, 5, 5, "rvale3os"),
    (6, 6, 1, "rvae3"),
    (6, 6, 5, "rvale3"),
    (6, 7, 0, "alle3"),
    (6, 7, 1, "vae3"),
    (6, 7, 4, "paall"),
    (6, 7, 5, "vale3"),
];
