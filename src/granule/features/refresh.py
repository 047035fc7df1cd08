# SPDX-License-Identifier: GPL-2.0-or-later
"""Commits of a checked-out feature, written back into its folder.

What is written is read again and applied before anything in the folder changes:
the commits it makes must be those it was made of, word for word.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from granule.errors import FormatError, UsageError
from granule.features import git
from granule.features.checkout import BASE, NAMED
from granule.features.history import History
from granule.features.model import Feature, load
from granule.features.patch import Mail, decode, encode, is_name, parse
from granule.features.render import Rendering, render
from granule.features.trial import Base, trial

_LICENCE = "# SPDX-License-Identifier: GPL-2.0-only\n"
_DIGITS = 12
_FORM = ("format-patch", "--no-numbered", "--zero-commit", "--no-signature", "--quiet")
_INDEX = re.compile(r"^index (?P<old>[0-9a-f]+)\.\.", re.MULTILINE)
_NEW_FILE = re.compile(r"diff --git a/(?P<path>[!-~]+) b/(?P=path)\nnew file mode 100(644|755)\n")


def refresh(
    feature: Feature, below: Sequence[Feature], base: Base, history: History, directory: Path
) -> Feature:
    """Makes a feature's patches, series and new files what the commits in `directory` are.

    Raises UsageError for a tree that is dirty, has merges, or does not stand on this
    feature's base; the folder is then as it was.
    """
    tree = _Tree(feature, directory)
    tree.check_clean()
    tree.check_base(history, render(base, below))
    tree.check_commits()
    with tempfile.TemporaryDirectory(prefix="granule-refresh-") as scratch:
        written = _write(tree, Path(scratch))
        _check_same(written, below, base, tree)
        _replace(feature.folder, written.folder)
    return load(feature.folder)


class _Tree:
    """A tree that a feature was checked out in."""

    def __init__(self, feature: Feature, directory: Path) -> None:
        self.feature = feature
        self.directory = directory
        asked = git.run(directory, "config", NAMED, check=False) if directory.is_dir() else None
        name = decode(asked.stdout).strip() if asked else ""
        if name != feature.name:
            found = f"was checked out for '{name}'" if name else "is no tree of any feature"
            raise UsageError(
                f"'{directory}' {found}: make one with 'granule checkout {feature.name} DIR'."
            )

    @property
    def range(self) -> str:
        """The commits of the feature."""
        return f"{BASE}..HEAD"

    def commits(self) -> list[str]:
        """Their ids, from the first on."""
        return git.ask(self.directory, "rev-list", "--reverse", "--topo-order", self.range).split()

    def check_clean(self) -> None:
        """No change that is not committed, nothing under way."""
        for left in ("rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD"):
            if (self.directory / git.ask(self.directory, "rev-parse", "--git-path", left)).exists():
                raise UsageError(
                    f"A rebase, merge or cherry-pick is under way in '{self.directory}': end it "
                    "first."
                )
        if changed := git.ask(self.directory, "status", "--porcelain").splitlines():
            raise UsageError(
                f"'{self.directory}' has changes that are not committed, such as "
                f"{changed[0][3:]}: commit or remove them.",
                details="\n".join(changed),
            )

    def check_base(self, history: History, below: Rendering) -> None:
        """The commits stand on the source and the features below as they are today."""
        ancestors = ((history.commit, BASE), (BASE, "HEAD"))
        stands = all(
            git.run(self.directory, "merge-base", "--is-ancestor", *pair, check=False).returncode
            == 0
            for pair in ancestors
        )
        if not stands or self._changed_below(history) != _identities(below):
            raise UsageError(
                f"'{self.directory}' was not checked out from today's base of "
                f"'{self.feature.name}': check it out anew and bring your commits there."
            )

    def _changed_below(self, history: History) -> dict[str, tuple[int, str]]:
        listed = git.ask(
            self.directory, "diff", "--raw", "-z", "--no-renames", "--no-abbrev",
            history.commit, BASE,
        )  # fmt: skip
        fields = listed.split("\0")[:-1]
        pairs = zip(fields[::2], fields[1::2], strict=True)
        return {path: (int(raw.split()[1], 8), raw.split()[3]) for raw, path in pairs}

    def check_commits(self) -> None:
        """Each is a patch: one parent, and some change."""
        if merges := git.ask(self.directory, "rev-list", "--merges", self.range).split():
            raise UsageError(
                f"Commit {merges[0][:_DIGITS]} is a merge: a series has none, so rebase instead."
            )
        for commit in self.commits():
            if not self.changed_in(commit):
                raise UsageError(f"Commit {commit[:_DIGITS]} changes nothing: drop it.")

    def changed_in(self, commit: str) -> list[str]:
        """The files that a commit touches."""
        options = ("-r", "-z", "--no-commit-id", "--name-only", "--no-renames")
        return git.ask(self.directory, "diff-tree", *options, commit).split("\0")[:-1]


def _identities(rendering: Rendering) -> dict[str, tuple[int, str]]:
    """The modes and git ids of what was rendered."""
    return {
        c.path: (c.mode, "0" * 40 if c.is_deletion else _blob(c.content)) for c in rendering.changes
    }


def _blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _write(tree: _Tree, scratch: Path) -> Feature:
    """The feature of the commits, in a folder of its own."""
    folder = scratch / tree.feature.name
    (folder / "patches").mkdir(parents=True)
    shutil.copy(tree.feature.folder / "feature.toml", folder)
    owned = _touched_once(tree)
    mails = dict(zip(tree.commits(), _format(tree, scratch), strict=True))
    for commit, (name, text) in mails.items():
        mail = _without_new_files(parse(text), owned)
        (folder / "patches" / name).write_bytes(encode(mail.text()))
        for path in mail.overlays:
            _export(tree.directory, commit, path, folder / "src" / path)
    names = [name for name, _ in mails.values()]
    (folder / "series").write_text(_series(tree.feature.folder / "series", names))
    return load(folder)


def _format(tree: _Tree, scratch: Path) -> Iterator[tuple[str, str]]:
    """Names and texts of the patches, made where the user's settings do not reach."""
    plain, out = scratch / "git", scratch / "out"
    git.create(plain, "--bare")
    objects = git.ask(
        tree.directory, "rev-parse", "--path-format=absolute", "--git-path", "objects"
    )
    (plain / "objects/info/alternates").write_text(f"{objects}\n")
    (plain / "info").mkdir(exist_ok=True)
    attributes = git.run(tree.directory, "show", f"{BASE}:.gitattributes", check=False).stdout
    (plain / "info/attributes").write_bytes(attributes)
    first, last = git.ask(tree.directory, "rev-parse", BASE, "HEAD").split()
    digits = f"--abbrev={_digits(tree.feature)}"
    git.run(plain, *_FORM, digits, "-o", str(out), f"{first}..{last}")
    for path in sorted(out.iterdir()) if out.exists() else ():
        yield path.name, decode(path.read_bytes())


def _digits(feature: Feature) -> int:
    """How long the ids of files are in this series: as they were."""
    texts = (diff for patch in feature.patches for diff in patch.mail.diffs)
    found = [len(match["old"]) for text in texts for match in _INDEX.finditer(text)]
    return max(found, default=_DIGITS)


def _touched_once(tree: _Tree) -> frozenset[str]:
    """The files that one commit of the series alone touches."""
    touched = [path for commit in tree.commits() for path in tree.changed_in(commit)]
    return frozenset(path for path in touched if touched.count(path) == 1)


def _without_new_files(mail: Mail, owned: frozenset[str]) -> Mail:
    """The same patch, owning the new files that no other patch touches."""
    new = {diff: match["path"] for diff in mail.diffs if (match := _NEW_FILE.match(diff))}
    paths = {diff: path for diff, path in new.items() if path in owned}
    diffs = tuple(diff for diff in mail.diffs if diff not in paths)
    return Mail(mail.message, tuple(paths.values()), mail.statistics, diffs)


def _export(directory: Path, commit: str, path: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(git.run(directory, "cat-file", "blob", f"{commit}:{path}").stdout)
    mode = git.ask(directory, "ls-tree", "--format=%(objectmode)", commit, "--", path)
    target.chmod(int(mode, 8) & 0o777)


def _series(old: Path, names: Sequence[str]) -> str:
    """The names, with the comments that stood before those that are still there."""
    if not old.exists():
        return _LICENCE + "".join(f"{name}\n" for name in names)
    head, comments, tail = _comments(old.read_text().splitlines(keepends=True))
    body = "".join(f"{comments.get(name, '')}{name}\n" for name in names)
    return head + body + tail


def _comments(lines: Iterable[str]) -> tuple[str, Mapping[str, str], str]:
    """What stands at the head of a series, before each of its names, and at its end."""
    head: str | None = None
    before: dict[str, str] = {}
    waiting = ""
    for line in lines:
        if not is_name(line):
            waiting += line
            continue
        if head is None:
            head, waiting = waiting, ""
        before[line.strip()], waiting = waiting, ""
    return (waiting, before, "") if head is None else (head, before, waiting)


def _check_same(written: Feature, below: Sequence[Feature], base: Base, tree: _Tree) -> None:
    """What was written must give the same commits, or it is not all that they say."""
    wanted = git.describe(tree.directory, tree.range)
    with trial(base, (*below, written)) as tried:
        tried.fold()
        got = git.describe(tried.tree, "base..HEAD")[-len(wanted) :] if wanted else []
    for commit, one, other in zip(tree.commits(), wanted, got, strict=True):
        if one != other:
            raise FormatError(
                f"Commit {commit[:_DIGITS]} cannot be written as a patch that says the same: "
                "its message may have a line '---' or 'diff'; reword it."
            )


def _replace(folder: Path, written: Path) -> None:
    """Puts what was written into the feature's folder; what is the same stays untouched."""
    for part in ("patches", "src"):
        wanted = {path.relative_to(written): path for path in _files(written / part)}
        for path, source in wanted.items():
            _put(source, folder / path)
        for path in list(_files(folder / part)):
            if path.relative_to(folder) not in wanted:
                path.unlink()
                _remove_empty(path.parent, folder)
    _put(written / "series", folder / "series")


def _files(folder: Path) -> Iterator[Path]:
    yield from sorted(path for path in folder.rglob("*") if path.is_file())


def _put(source: Path, target: Path) -> None:
    mode = source.stat().st_mode & 0o100
    same = target.is_file() and target.read_bytes() == source.read_bytes()
    if same and target.stat().st_mode & 0o100 == mode:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = target.with_name(f".{target.name}.new")
    shutil.copy(source, scratch)
    scratch.replace(target)


def _remove_empty(path: Path, end: Path) -> None:
    while path != end and not any(path.iterdir()):
        path.rmdir()
        path = path.parent
