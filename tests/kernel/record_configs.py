# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes data/*.config anew: what Debian configures, and what the fragments give.

    python tests/kernel/record_configs.py [FOLDER]

Run it after a change of fragments, and read what changed before committing it.
"""

import sys
import tempfile
import tomllib
from pathlib import Path

from granule import cache
from granule.kernel import build, configure, kconfig, source, toolchain
from granule.kernel.catalog import shipped
from granule.kernel.config import OFF, Config, read
from granule.kernel.make import Make
from granule.kernel.spec import Debian
from granule.progress import SilentProgress

DATA = Path(__file__).parent / "data"
VERSION = "6.12"
RECORDED = ("mte-user", "kasan-hw")
LICENSE = "# SPDX-License-Identifier: GPL-2.0-or-later\n"


def main(folder: Path) -> None:
    """Records Debian's configuration and those of the fragments."""
    kernel = shipped().sources.linux[VERSION]
    tree = source.packaged(kernel, cache.root(), SilentProgress())
    (folder / f"debian-{VERSION}.config").write_text(debian(tree.directory))
    for fragment in RECORDED:
        config = configured(tree.directory, tree.record.version, fragment)
        text = f"# Linux {tree.record.version} with fragment {fragment}: the symbols that are on.\n"
        (folder / f"{fragment}-{VERSION}.config").write_text(LICENSE + text + config.text())


def debian(tree: Path) -> str:
    """Debian's values of all symbols of the compared Kconfig files."""
    kernel = build.provide(Debian(), cache.root(), SilentProgress())
    assert kernel.config is not None
    config = read(kernel.config)
    differences = tomllib.loads((shipped().folder / "differences.toml").read_text())
    lines = [f"{LICENSE}# From Debian's package {kernel.source.name} {kernel.source.version}.\n"]
    for name in differences["files"]:
        found = kconfig.definitions((tree / name).read_text())
        symbols = Config({d.name: config[d.name] for d in found})
        lines.append(f"\n# {name}\n{symbols.text()}")
    return "".join(lines)


def configured(tree: Path, version: str, fragment: str) -> Config:
    """The symbols that are on in a real configuration from the fragments."""
    tools = toolchain.find()
    request = configure.request(shipped(), [fragment], version, strict=True)
    with tempfile.TemporaryDirectory() as scratch, SilentProgress().step("") as step:
        output = Path(scratch)
        make = Make(
            tree,
            (f"O={output}", *tools.variables()),
            toolchain.environment(cache.root()),
            output / "make.log",
        )
        got = configure.configure(request, make, output, step)
    return Config({name: value for name, value in got.values.items() if value != OFF})


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA)
