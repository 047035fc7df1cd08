# SPDX-License-Identifier: GPL-2.0-or-later
"""The verbs on a fake target: what they print, where, and how they exit."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from granule import provision
from granule.cli.program import VERBS, run
from granule.errors import GranuleError, GuestError
from granule.events import Catalog
from granule.kernel import Debian
from granule.run import Bootable
from granule.targets import FakeTarget, Outcome
from granule.userland import GuestPrograms, Userland, cpio

Play = Callable[..., Outcome]
Fake = Callable[..., FakeTarget]

EVENTS = {"instructions": (10, 1000), "isb": (0, 3)}


@pytest.fixture
def fake(
    monkeypatch: pytest.MonkeyPatch, bootable: Bootable, catalog: Catalog, tmp_path: Path
) -> Fake:
    """Puts a fake target with recordings in the place of the machine; its guest has mybench."""
    archive = tmp_path / "userland.cpio"
    archive.write_bytes(cpio.archive([cpio.file("userland/usr/bin/mybench", b"#!", 0o755)]))
    guest = provision.Guest(GuestPrograms(archive, {}), Userland(archive, "userland", ()))

    def install(*recordings: Outcome | GranuleError) -> FakeTarget:
        target = FakeTarget(recordings)
        monkeypatch.setattr(provision, "target", lambda: target)
        monkeypatch.setattr(provision, "parse", lambda _text, _directory=None: Debian())
        monkeypatch.setattr(provision, "guest", lambda _progress: guest)
        monkeypatch.setattr(
            provision,
            "bootables",
            lambda specs, _progress, directory=None: [bootable] * len(specs),  # noqa: ARG005
        )
        monkeypatch.setattr(Catalog, "shipped", lambda: catalog)
        monkeypatch.chdir(tmp_path)
        return target

    return install


def test_stat_prints_to_stdout_and_progress_to_stderr(
    fake: Fake, play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    fake(play(EVENTS))
    assert run(["stat", "--", "mybench"]) == 0
    captured = capsys.readouterr()
    assert "instructions  10  1,000  1,010" in captured.out
    assert "Play a recording: done" in captured.err
    assert "recording" not in captured.out


def test_every_verb_that_counts_asks_the_guest_for_the_same(fake: Fake, play: Play) -> None:
    """What the guest reads decides at which instruction its clock ticks."""
    target = fake(*[play(EVENTS)] * 4)
    for verb in (["stat"], ["profile"], ["diff", "debian", "debian"]):
        assert run([*verb, "--", "mybench", "-n"]) == 0
    requests = [job.request for job in target.jobs]
    assert requests == [requests[0]] * 4


def test_a_program_the_guest_lacks_is_missed_before_anything_boots(
    fake: Fake, capsys: pytest.CaptureFixture[str]
) -> None:
    target = fake()
    for verb in (["stat"], ["diff", "HEAD~1", "HEAD"], ["shell"]):
        assert run([*verb, "--", "yourbench"]) == 2
        assert "The guest has no program 'yourbench'" in capsys.readouterr().err
    assert target.jobs == []


def test_a_wrong_kernel_is_told_before_the_guest_is_made(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(provision, "target", lambda: FakeTarget(()))
    monkeypatch.setattr(provision, "guest", lambda _progress: pytest.fail("the guest was made"))
    for verb in ("stat", "shell"):
        assert run([verb, "--kernel", "linux-9.9", "--", "mybench"]) == 2
        assert "linux-9.9" in capsys.readouterr().err


def test_stat_as_json_is_nothing_but_json(
    fake: Fake, play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    fake(play(EVENTS))
    assert run(["stat", "--json", "-e", "isb,instructions:k", "--", "mybench"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [row["event"] for row in document["regions"][0]["events"]] == ["isb", "instructions"]


def test_options_of_the_command_stay_its_own(fake: Fake, play: Play) -> None:
    target = fake(play(EVENTS))
    assert run(["stat", "--env", "A=b=c", "--", "mybench", "--json", "-n", "3"]) == 0
    assert target.jobs[0].request.argv == ("mybench", "--json", "-n", "3")
    assert target.jobs[0].request.environment == {"A": "b=c"}
    assert len(target.jobs) == 1


def test_diff_of_two_kernels(fake: Fake, play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    # Two CPUs: the recordings are then played one after the other.
    changed = {**EVENTS, "isb": (0, 30)}
    fake(play(EVENTS), play(changed), play(EVENTS), play(changed))
    assert run(["diff", "HEAD~1", "HEAD", "--cpus", "2", "-n", "2", "--", "mybench"]) == 0
    out = capsys.readouterr().out
    assert "isb:k" in out
    assert "1 loss" in out


def test_profile(fake: Fake, play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    fake(play(EVENTS, places=[("k", 0x2000, {"instructions": 9})]))
    assert run(["profile", "--", "mybench"]) == 0
    assert "9  100.00%  __arm64_sys_getpid" in capsys.readouterr().out


def test_a_failing_command_is_shown_and_falls_short(
    fake: Fake, play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    fake(play(EVENTS, status="exit 3"))
    assert run(["stat", "--", "mybench"]) == 1
    captured = capsys.readouterr()
    assert "1,010" in captured.out
    assert "  | mybench: no memory" in captured.err
    assert "granule: The command 'mybench' exited with 3" in captured.err


def test_a_broken_machine_shows_its_log(
    fake: Fake, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    log = tmp_path / "console.log"
    fake(GuestError("The kernel failed: oops.", details="first\nlast", log=log))
    assert run(["stat", "--", "mybench"]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.endswith(
        f"  | first\n  | last\ngranule: The kernel failed: oops.\nThe whole log: {log}\n"
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["stat"], "There is no command"),
        (["stat", "-e", "tlb", "--", "x"], "did you mean tlbi?"),
        (["stat", "--env", "A", "--", "x"], "--env NAME=VALUE"),
        (["diff", "debian", "--", "x"], "Name two kernels and then a command"),
        (["stat", "--copy", "nowhere", "--", "x"], "no file 'nowhere'"),
        (["stat", "--cpus", "0", "--", "x"], "--cpus"),
        (["diff", "HEAD"], "CAND"),
        (["profile", "--flame", "nowhere/a.svg", "--", "x"], "Cannot write nowhere/a.svg"),
        (["shell"], "no terminal"),
        (["cache", "clear", "--yes", "nonsense"], "no section 'nonsense'"),
        (["nonsense"], "No such command 'nonsense'"),
    ],
)
def test_wrong_use_is_told_before_anything_boots(
    fake: Fake, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    target = fake()
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert sentence in captured.err
    assert captured.err.count("\n") == 1
    assert target.jobs == []


def test_interrupting_leaves_in_one_line(
    fake: Fake, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake()

    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(provision, "target", interrupt)
    assert run(["stat", "--", "mybench"]) == 130
    assert capsys.readouterr().err.strip() == "granule: interrupted."


def test_events_are_listed(fake: Fake, capsys: pytest.CaptureFixture[str]) -> None:
    fake()
    assert run(["events"]) == 0
    out = capsys.readouterr().out
    assert "TLB invalidations (sum of tlbi.*)" in out


@pytest.mark.parametrize("arguments", [["--help"], ["kernel", "--help"], ["cache", "--help"]])
def test_what_a_verb_does_fits_beside_its_name(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run(arguments) == 0
    _, _, listed = capsys.readouterr().out.partition("Commands:")
    assert listed
    assert [line for line in listed.splitlines() if line.endswith("...")] == []


@pytest.mark.parametrize("verb", [str(verb.name) for verb in VERBS])
def test_every_verb_explains_itself(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([verb, "--help"]) == 0
    assert len(capsys.readouterr().out) > 100


def test_the_cache_can_be_cleared(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GRANULE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "cache" / "runs").mkdir(parents=True)
    (tmp_path / "cache" / "runs" / "log").write_bytes(b"x" * 5000)
    assert run(["cache", "size"]) == 0
    assert "runs" in capsys.readouterr().out
    assert run(["cache", "size", "--json"]) == 0
    (section,) = json.loads(capsys.readouterr().out)["sections"]
    assert section["name"] == "runs"
    assert section["bytes"] >= 5000
    assert run(["cache", "clear", "runs"]) == 2
    assert "'--yes'" in capsys.readouterr().err
    assert run(["cache", "clear", "--yes", "runs"]) == 0
    assert not (tmp_path / "cache" / "runs").exists()
    assert (tmp_path / "cache").exists()
