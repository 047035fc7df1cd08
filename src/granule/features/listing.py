# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule features``: what there is."""

from collections.abc import Iterator, Sequence
from typing import Literal

from rich.console import RenderableType
from rich.table import Table

from granule.features.model import Feature
from granule.report.model import Model


class ListedClaim(Model):
    """A promise of a feature."""

    name: str
    statement: str


class ListedFeature(Model):
    """One feature. ``digest`` is the sha256 of its patches and whole new files."""

    name: str
    title: str
    base: str
    after: tuple[str, ...]
    kconfig: tuple[str, ...]
    draft: bool
    upstream: str
    commits: tuple[str, ...]
    peer: str | None
    differs: str
    digest: str
    patches: tuple[str, ...]
    claims: tuple[ListedClaim, ...]


class FeaturesReport(Model):
    """All of ``granule features``, in the order they are applied."""

    format: Literal["granule-features"] = "granule-features"
    version: Literal[1] = 1
    features: tuple[ListedFeature, ...]


def features_report(features: Sequence[Feature]) -> FeaturesReport:
    """What there is to say of each."""
    return FeaturesReport(features=tuple(map(_listed, features)))


def _listed(feature: Feature) -> ListedFeature:
    about = feature.about
    return ListedFeature(
        name=feature.name,
        title=about.title,
        base=about.base,
        after=about.after,
        kconfig=about.kconfig,
        draft=about.draft,
        upstream=about.upstream.status,
        commits=about.upstream.commits,
        peer=about.upstream.peer,
        differs=about.upstream.differs.strip(),
        digest=feature.digest,
        patches=tuple(patch.name for patch in feature.patches),
        claims=tuple(ListedClaim(name=c.name, statement=c.statement) for c in about.claims),
    )


def render_features(report: FeaturesReport) -> Iterator[RenderableType]:
    """One table."""
    if not report.features:
        yield "There are no features yet."
        return
    table = Table("feature", "title", "upstream", box=None, pad_edge=False, padding=(0, 2))
    table.add_column("patches", justify="right")
    table.add_column("claims", justify="right")
    for each in report.features:
        sums = (str(len(each.patches)), str(len(each.claims)))
        name = f"{each.name} (draft)" if each.draft else each.name
        table.add_row(name, each.title, each.upstream, *sums)
    yield table
