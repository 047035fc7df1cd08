# SPDX-License-Identifier: GPL-2.0-or-later
"""From fragments to a .config, with every symbol that was asked for or an error."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from granule.errors import BuildError
from granule.kernel import config as configs
from granule.kernel import kconfig
from granule.kernel.catalog import Catalog
from granule.kernel.config import Config, Refusal
from granule.kernel.make import Make
from granule.progress import Step

_EXPLAINED = 5


@dataclass(frozen=True)
class Request:
    """What is asked for, and those of its symbols that must be granted.

    Read once, as a fragment that is edited during a build must not be taken for
    the one that was built; `files` say who asked.
    """

    files: tuple[Path, ...]
    wanted: Config
    required: Config


def request(
    catalog: Catalog,
    fragments: Sequence[str],
    version: str,
    *,
    strict: bool,
    symbols: Iterable[str] = (),
) -> Request:
    """The request for these fragments on a version of Linux, such as "6.12.117".

    A file named after a version has what that version wants otherwise. A user's
    tree may be of any age, so unless `strict` the symbols of `base` that it does
    not have, or decides otherwise, are let go.  The `symbols` of features are asked
    for too, unless a fragment decides otherwise or what they depend on is off.
    """
    merged = catalog.choose(fragments)
    files = [catalog.fragment_file(name) for name in merged]
    if special := _special(catalog, version):
        files.insert(len(catalog.fragments.always), special)
    required = files if strict else [f for f in files if f.stem != catalog.fragments.always[0]]
    wanted = Config(dict.fromkeys(symbols, "y")).merged(configs.merge(files))
    names = configs.merge(required).values
    return Request(tuple(files), wanted, Config({name: wanted[name] for name in names}))


def _special(catalog: Catalog, version: str) -> Path | None:
    """The file of the newest known version that is not newer than `version`."""
    older = [v for v in catalog.versions if _key(v) <= _key(version)]
    if not older:
        return None
    path = catalog.fragment_file(f"linux-{max(older, key=_key)}")
    return path if path.exists() else None


def _key(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:2])


def configure(request: Request, make: Make, output: Path, step: Step) -> Config:
    """Writes `output/.config`; BuildError names the symbols that were not granted."""
    wanted = output / "granule.config"
    wanted.write_text(request.wanted.text())
    allnoconfig = Make(
        make.directory, (*make.variables, f"KCONFIG_ALLCONFIG={wanted}"), make.environment, make.log
    )
    allnoconfig.run("allnoconfig", jobs=1, step=step)
    got = configs.read(output / ".config")
    _log_let_go(configs.refusals(request.wanted, got), make.log)
    if refused := configs.refusals(request.required, got):
        raise _refused(refused, request, got, make.directory)
    return got


def _log_let_go(refused: Sequence[Refusal], log: Path) -> None:
    """A tree of the user's may refuse some symbols; the log is where to see which."""
    with log.open("a") as file:
        for refusal in refused:
            file.write(f"CONFIG_{refusal.name}={refusal.wanted} is {refusal.got} in this tree\n")


def _refused(refused: Sequence[Refusal], request: Request, got: Config, tree: Path) -> BuildError:
    reasons = explain(refused[:_EXPLAINED], got, tree)
    first = refused[0]
    others = f" and {len(refused) - 1} more" if len(refused) > 1 else ""
    return BuildError(
        f"The kernel does not grant CONFIG_{first.name}={first.wanted}{others}: "
        f"{reasons[0]}; change {_origin(first.name, request)}.",
        details="\n".join(
            f"CONFIG_{r.name}={r.wanted} is {r.got}: {why}"
            for r, why in zip(refused, reasons, strict=False)
        ),
    )


def _origin(name: str, request: Request) -> str:
    """The last fragment that asks for a symbol: the one to change."""
    asking = [path for path in request.files if name in configs.read(path).values]
    return asking[-1].name


def explain(refused: Sequence[Refusal], got: Config, tree: Path) -> list[str]:
    """Why `make` did not grant each of these symbols, as far as Kconfig files tell."""
    found = kconfig.find(tree, {refusal.name for refusal in refused})
    return [_reason(refusal, found, got) for refusal in refused]


def _reason(refusal: Refusal, found: Sequence[kconfig.Definition], got: Config) -> str:
    definitions = [d for d in found if d.name == refusal.name]
    if not definitions:
        return "this kernel has no such symbol"
    for definition in definitions:
        if unmet := kconfig.unmet(definition, got):
            return f"it depends on '{unmet[0]}'"
    return f"another symbol makes it {refusal.got}"
