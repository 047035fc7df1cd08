# SPDX-License-Identifier: GPL-2.0-or-later
"""From addresses to functions."""

from granule.symbols.attribute import USER, by_function, fold
from granule.symbols.table import UNKNOWN, SymbolTable

__all__ = ["UNKNOWN", "USER", "SymbolTable", "by_function", "fold"]
