# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule cache size``."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from rich.filesize import decimal

from granule.cache import SectionSize
from granule.report.model import Model


class CacheReport(Model):
    """The sections of the cache, the largest first, with what they take in bytes."""

    format: Literal["granule-cache"] = "granule-cache"
    version: Literal[1] = 1
    folder: str
    sections: tuple[SectionSize, ...]


def cache_report(folder: Path, sections: Iterable[SectionSize]) -> CacheReport:
    """Makes the report."""
    return CacheReport(folder=str(folder), sections=tuple(sections))


def render_cache(report: CacheReport) -> Iterator[str]:
    """Where it is, then a line for each section and one for all."""
    yield report.folder
    for section in report.sections:
        yield f"{decimal(section.bytes):>12}  {section.name}"
    yield f"{decimal(sum(section.bytes for section in report.sections)):>12}  in all"
