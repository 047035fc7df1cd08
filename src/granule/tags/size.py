# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule tags size``: what pages of tags take, ours and EA0's."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from rich.console import RenderableType

from granule.report.model import Model
from granule.report.text.parts import number, table
from granule.tags import ea0
from granule.tags.coder import Coder, Form
from granule.tags.pages import TagPage


class PageSize(Model):
    """One page. ``bytes`` and ``ea0_bytes`` are out of line; 0 is in the XArray slot.

    ``bits`` is the length of our code, before it is rounded up to a class.
    """

    line: int
    kib: int
    runs: int
    form: Form
    bits: int
    bytes: int
    ea0_bytes: int


class ClassCount(Model):
    """How many pages take buffers of so many bytes."""

    bytes: int
    pages: int
    ea0_pages: int


class SizeReport(Model):
    """All of ``granule tags size``. ``raw_bytes`` is what the tags take as they are."""

    format: Literal["granule-tags-size"] = "granule-tags-size"
    version: Literal[1] = 1
    pages: tuple[PageSize, ...]
    classes: tuple[ClassCount, ...]
    zero_pages: int
    raw_bytes: int
    ea0_bytes: int
    bytes: int

    @property
    def ratio(self) -> float | None:
        """How many times less than EA0's; None if nothing is out of line."""
        return self.ea0_bytes / self.bytes if self.bytes else None


def size_report(pages: Sequence[TagPage], coder: Coder) -> SizeReport:
    """Every page through both coders."""
    sizes = tuple(_size(page, coder) for page in pages)
    return SizeReport(
        pages=sizes,
        classes=_classes(sizes),
        zero_pages=sum(each.form == "zero" for each in sizes),
        raw_bytes=sum(len(page.digits) // 2 for page in pages),
        ea0_bytes=sum(each.ea0_bytes for each in sizes),
        bytes=sum(each.bytes for each in sizes),
    )


def _size(page: TagPage, coder: Coder) -> PageSize:
    stored = coder.store(page.packed)
    return PageSize(
        line=page.line,
        kib=page.kib,
        runs=page.runs,
        form=stored.form,
        bits=stored.bits,
        bytes=stored.bytes,
        ea0_bytes=ea0.stored_bytes(page),
    )


def _classes(sizes: Sequence[PageSize]) -> tuple[ClassCount, ...]:
    ours = Counter(each.bytes for each in sizes)
    theirs = Counter(each.ea0_bytes for each in sizes)
    return tuple(
        ClassCount(bytes=size, pages=ours[size], ea0_pages=theirs[size])
        for size in sorted(ours.keys() | theirs.keys())
    )


def render_size(report: SizeReport, *, pages: bool = True) -> Iterator[RenderableType]:
    """A row for each page unless told otherwise, the classes, the totals."""
    if pages and report.pages:
        yield _page_table(report)
        yield ""
    yield _class_table(report)
    yield ""
    yield _totals(report)


def _page_table(report: SizeReport) -> RenderableType:
    made = table(["line", "KiB", "runs", "code", "bits", "class", "EA0's class"])
    for each in report.pages:
        figures = (each.line, each.kib, each.runs, each.form, each.bits)
        made.add_row(*map(str, figures), _class(each.bytes), _class(each.ea0_bytes))
    return made


def _class_table(report: SizeReport) -> RenderableType:
    made = table(["class", "pages", "EA0's pages"])
    for each in report.classes:
        made.add_row(_class(each.bytes), number(each.pages), number(each.ea0_pages))
    return made


def _class(size: int) -> str:
    return str(size) if size else "inline"


def _totals(report: SizeReport) -> str:
    ratio = "" if report.ratio is None else f", {report.ratio:.2f} times fewer than EA0's"
    return (
        f"{number(len(report.pages))} pages, {number(report.zero_pages)} with no tag but 0. "
        f"Bytes out of line (counted): {number(report.raw_bytes)} as they are, "
        f"{number(report.ea0_bytes)} with EA0, {number(report.bytes)} with ours{ratio}."
    )
