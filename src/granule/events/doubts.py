# SPDX-License-Identifier: GPL-2.0-or-later
"""What makes counts doubtful, in sentences."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol


class Marked(Protocol):
    """A region, as counted or as remembered."""

    @property
    def name(self) -> str:
        """What the marks call it."""
        ...

    @property
    def opened(self) -> int:
        """How often it was opened."""
        ...

    @property
    def closed(self) -> int:
        """How often it was closed."""
        ...


def doubts(regions: Iterable[Marked], diagnostics: Mapping[str, int]) -> Iterator[str]:
    """A sentence for each region left open and for each thing the plugin could not see."""
    for region in regions:
        if region.opened != region.closed:
            yield (
                f"Region '{region.name}' was opened {region.opened} and closed {region.closed} "
                "times; what happened in one left open is missing."
            )
    for name, number in diagnostics.items():
        if number:
            yield f"The counting plugin reports {name.replace('_', ' ')}: {number}."
