// SPDX-License-Identifier: GPL-2.0-or-later
//! A short list without allocation: decoding happens for every instruction that
//! an emulator translates.

/// Up to `N` items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List<T, const N: usize> {
    items: [Option<T>; N],
}

impl<T, const N: usize> List<T, N> {
    /// The empty list.
    pub(crate) const fn new() -> Self {
        Self { items: [const { None }; N] }
    }

    /// Appends an item. The decoder knows how many there can be, so a full list
    /// is a mistake of the decoder.
    pub(crate) fn push(&mut self, item: T) {
        let free = self.items.iter_mut().find(|slot| slot.is_none());
        *free.expect("the list is as long as the longest instruction needs") = Some(item);
    }

    /// The items in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.items.iter().flatten()
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        N == 0 || self.items[0].is_none()
    }
}
