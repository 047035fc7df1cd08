# SPDX-License-Identifier: GPL-2.0-or-later
"""The whole way from a revision to a kernel, with a tree that builds in milliseconds."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.kernel.conftest import Recorder

from granule.errors import BuildError, MachineError, UsageError
from granule.kernel import build
from granule.kernel.catalog import Catalog, load
from granule.kernel.kernel import BuiltKernel
from granule.kernel.spec import parse
from granule.kernel.toolchain import Toolchain
from granule.progress import SilentProgress

FAKE = Path(__file__).parent / "fake"
TOOLS = Toolchain(prefix="", version="gcc of the test", ccache=False)


def cpu_seconds() -> float:
    """Time this process and its children worked; a busy machine does not change it."""
    return sum(os.times()[:4])


class KernelTree:
    """A git repository with the fake kernel."""

    def __init__(self, folder: Path, template: Path) -> None:
        self.folder = folder
        shutil.copytree(template, folder)
        self.git("init", "--quiet")
        self.git("config", "user.name", "Tester")
        self.git("config", "user.email", "tester@example.org")
        self.git("add", ".")
        self.git("commit", "--quiet", "-m", "begin")

    def git(self, *arguments: str) -> str:
        command = ["git", "-C", str(self.folder), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def write(self, path: str, text: str) -> None:
        """Commits a changed file."""
        (self.folder / path).write_text(text)
        self.git("add", path)
        self.git("commit", "--quiet", "-m", f"change {path}")

    def add_gate(self, path: str) -> Path:
        """Commits a source whose compilation waits until the returned FIFO is written."""
        gate = self.folder.parent / "gate"
        os.mkfifo(gate)
        self.write(path, f'#include "{gate}"\n')
        return gate

    def snapshot(self) -> dict[str, bytes]:
        """Every file of the tree, git's own too, with its content."""
        files = (path for path in self.folder.rglob("*") if path.is_file())
        return {str(path): path.read_bytes() for path in files}


class Lab:
    """A fake kernel tree in git, a cache, and the way to build one in the other."""

    def __init__(self, folder: Path) -> None:
        self.tree = KernelTree(folder / "linux", FAKE / "tree")
        self.cache = folder / "cache"
        self.catalog: Catalog = load(FAKE / "kernel")
        self.progress = Recorder()

    def build(self, revision: str = "HEAD", fragments: str = "") -> BuiltKernel:
        self.progress = Recorder()
        spec = parse(f"{self.tree.folder}@{revision}{fragments}", self.catalog)
        return build.provide(
            spec, self.cache, self.progress, catalog=self.catalog, jobs=2, tools=TOOLS
        )

    @property
    def compiled(self) -> list[str]:
        """What the last build compiled."""
        return sorted(note for note in self.progress.notes if note.endswith(".o"))


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def test_a_build_keeps_what_a_kernel_is_kept_for(lab: Lab) -> None:
    kernel = lab.build()
    folder = kernel.image.parent
    assert {path.name for path in folder.iterdir()} == {
        "Image", "vmlinux", "System.map", "config", "build.log", "manifest.json",
    }  # fmt: skip
    assert kernel.release == "6.12.0-fake"
    assert kernel.modules is None
    assert kernel.config is not None
    assert "CONFIG_ARM64_MTE=y" in kernel.config.read_text()
    assert kernel.source.name == "linux"
    assert kernel.source.digest == lab.tree.git("rev-parse", "HEAD")
    assert lab.compiled == ["mm/contpte.o", "mm/mteswap.o", "mm/oom.o"]


def test_an_unchanged_request_builds_nothing_and_returns_at_once(lab: Lab) -> None:
    first = lab.build()
    start = cpu_seconds()
    second = lab.build()
    assert cpu_seconds() - start < 0.2
    assert second == first
    assert lab.progress.titles == []


def test_the_next_revision_compiles_only_what_it_changes(lab: Lab) -> None:
    base = lab.build()
    lab.tree.write("mm/mteswap.c", "int tag_bits = 5;\n")
    candidate = lab.build()
    assert lab.compiled == ["mm/mteswap.o"]
    assert candidate.identity != base.identity
    assert lab.build("HEAD~1").identity == base.identity
    assert lab.progress.titles == []


def test_a_revision_with_the_same_content_is_the_same_kernel(lab: Lab) -> None:
    first = lab.build()
    lab.tree.git("commit", "--quiet", "--allow-empty", "-m", "say it again")
    second = lab.build()
    assert second.identity == first.identity
    assert second.source.digest != first.source.digest


def test_the_users_tree_is_not_touched(lab: Lab) -> None:
    lab.tree.write("mm/oom.c", "int threads = 2;\n")
    (lab.tree.folder / "mm/oom.c").write_text("not even C\n")
    before = lab.tree.snapshot()
    lab.build("HEAD~1")
    assert lab.tree.snapshot() == before


def test_fragments_make_another_kernel(lab: Lab) -> None:
    plain, tagged = lab.build(), lab.build(fragments=":kasan-hw")
    assert tagged.identity != plain.identity
    assert tagged.config is not None
    assert "CONFIG_KASAN=y" in tagged.config.read_text()


def test_modules_are_kept_without_a_link_to_the_build_directory(lab: Lab) -> None:
    kernel = lab.build(fragments=":loadable")
    assert kernel.modules is not None
    assert (kernel.modules / "kernel/module.ko").exists()
    assert not (kernel.modules / "build").is_symlink()


def test_a_compile_error_is_told_with_its_line_and_the_log(lab: Lab) -> None:
    lab.tree.write("mm/oom.c", "int threads = ;\n")
    with pytest.raises(BuildError, match=r"mm/oom\.c:1:15: error: expected") as caught:
        lab.build()
    assert caught.value.log is not None
    assert str(caught.value.log) in str(caught.value)
    assert "error: expected" in caught.value.log.read_text()


def test_a_mended_error_continues_where_the_build_stopped(lab: Lab) -> None:
    lab.tree.write("mm/oom.c", "int threads = ;\n")
    with pytest.raises(BuildError):
        lab.build()
    lab.tree.write("mm/oom.c", "int threads = 1;\n")
    lab.build()
    assert "mm/oom.o" in lab.compiled
    assert "mm/contpte.o" not in lab.compiled


def test_a_symbol_not_granted_is_an_error_that_names_the_fragment(lab: Lab) -> None:
    with pytest.raises(
        BuildError, match=r"CONFIG_NOT_IN_ANY_KERNEL=y: this kernel has no such"
    ) as e:
        lab.build(fragments=":impossible")
    assert "impossible.config" in str(e.value)


@pytest.mark.parametrize("damage", ["truncate", "overwrite", "remove", "manifest"])
def test_a_damaged_entry_is_built_again_and_said(lab: Lab, damage: str) -> None:
    kernel = lab.build()
    content = kernel.image.read_bytes()
    match damage:
        case "truncate":
            kernel.image.write_bytes(content[:-1])
        case "overwrite":
            kernel.image.write_bytes(content[:-1] + b"?")
        case "remove":
            kernel.image.unlink()
        case "manifest":
            (kernel.image.parent / "manifest.json").write_text("{")
    again = lab.build()
    assert again.image.read_bytes() == content
    assert any("damaged" in title for title in lab.progress.titles)


def test_a_touched_but_equal_file_is_no_damage(lab: Lab) -> None:
    kernel = lab.build()
    kernel.image.write_bytes(kernel.image.read_bytes())
    lab.build()
    assert lab.progress.titles == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_build_is_not_trusted_and_is_continued(
    lab: Lab, number: signal.Signals
) -> None:
    gate = lab.tree.add_gate("mm/zone.c")
    command = [sys.executable, str(FAKE.parent / "build_once.py")]
    child = subprocess.Popen(
        # Tests that run in the background ignore interrupts, and so would this.
        ["env", "--default-signal=INT", *command, str(lab.tree.folder), str(lab.cache)],
        stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    # Opening a FIFO to write waits for its reader: the compiler, in mid-build.
    writer = os.open(gate, os.O_WRONLY)
    child.send_signal(number)
    if number == signal.SIGKILL:  # make lives on and must be let end
        child.wait()
        os.close(writer)
    else:
        assert child.wait() != 0
        os.close(writer)
    assert list(lab.cache.glob("kernels/*/manifest.json")) == []
    gate.unlink()
    gate.write_text("int zones = 1;\n")
    kernel = lab.build("HEAD")
    assert kernel.image.exists()
    assert list(lab.cache.glob("kernels/.new-*")) == []


def test_two_processes_build_a_kernel_once(lab: Lab) -> None:
    command = [sys.executable, str(FAKE.parent / "build_once.py")]
    arguments = [str(lab.tree.folder), str(lab.cache)]
    both = [
        subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True) for _ in "ab"
    ]
    images = {process.communicate()[0] for process in both}
    assert len(images) == 1
    assert len(list(lab.cache.glob("kernels/*/manifest.json"))) == 1


def test_a_revision_that_is_none_is_a_usage_error(lab: Lab) -> None:
    with pytest.raises(UsageError, match="has no revision 'nowhere'"):
        lab.build("nowhere")


def test_a_full_disk_is_told_before_the_build(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "_BUILD_SIZE", 1 << 60)
    with pytest.raises(MachineError, match="GRANULE_CACHE"):
        lab.build()


def test_silent_progress_is_enough(lab: Lab) -> None:
    spec = parse(f"{lab.tree.folder}@HEAD", lab.catalog)
    kernel = build.provide(spec, lab.cache, SilentProgress(), catalog=lab.catalog, tools=TOOLS)
    assert kernel.image.exists()
