# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule features``: what there is."""

from collections.abc import Sequence
from typing import Literal

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
