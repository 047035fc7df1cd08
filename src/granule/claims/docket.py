# SPDX-License-Identifier: GPL-2.0-or-later
"""Which claims are to be judged, and which features promise nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from granule.claims.feature import FeatureClaims
from granule.errors import UsageError
from granule.plan import Plan


@dataclass(frozen=True, slots=True)
class Docket:
    """The features with their claims about the plans, and those without any claim at all.

    ``about`` names the features that the plans are about.
    """

    features: tuple[FeatureClaims, ...]
    unclaimed: tuple[str, ...]
    about: tuple[str, ...]


def open_docket(
    features: Sequence[FeatureClaims], plans: Sequence[Plan], *, every_plan: bool
) -> Docket:
    """All features if these are all plans there are, else those the plans are about.

    Raises UsageError for a claim of a plan, or a plan of a feature, that does not
    exist.
    """
    _check_features(features, plans)
    named = {plan.name for plan in plans}
    if every_plan:
        _check_plans(features, named)
        return _docket(features, about=features)
    subjects = {name for plan in plans for name in plan.features}
    return _docket(
        [_only(feature, named) for feature in features],
        about=[feature for feature in features if feature.feature in subjects],
    )


def _docket(features: Sequence[FeatureClaims], about: Sequence[FeatureClaims]) -> Docket:
    names = tuple(feature.feature for feature in about)
    return Docket(tuple(features), _unclaimed(about), names)


def _unclaimed(features: Sequence[FeatureClaims]) -> tuple[str, ...]:
    return tuple(feature.feature for feature in features if not feature.claims)


def _only(feature: FeatureClaims, plans: set[str]) -> FeatureClaims:
    claims = tuple(claim for claim in feature.claims if claim.plan in plans)
    return FeatureClaims(feature.feature, claims)


def _check_features(features: Sequence[FeatureClaims], plans: Sequence[Plan]) -> None:
    known = {feature.feature for feature in features}
    for plan in plans:
        for name in plan.features:
            if name not in known:
                raise UsageError(f"Plan '{plan.name}' is about a feature '{name}' there is not.")


def _check_plans(features: Sequence[FeatureClaims], plans: set[str]) -> None:
    for feature in features:
        for claim in feature.claims:
            if claim.plan not in plans:
                raise UsageError(
                    f"Claim '{claim.name}' of feature '{feature.feature}' is about a plan "
                    f"'{claim.plan}' there is not; the plans are: {', '.join(sorted(plans))}."
                )
