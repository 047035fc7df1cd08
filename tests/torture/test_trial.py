# SPDX-License-Identifier: GPL-2.0-or-later
from pathlib import Path

import pytest

from granule.errors import FormatError, UsageError
from granule.kernel import shipped
from granule.torture import Trial, load
from granule.torture.trial import pick


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('name = "a"\nstatement = "It."', "trial 'a': a trial does exactly one of"),
        (
            'name = "a"\nstatement = "It."\nkernel_tests = true\nidentical_code = true',
            "not kernel_tests and identical_code",
        ),
        (
            'name = "a"\nstatement = "It."\nkernel_tests = true\nfiles = ["b"]',
            "'files' belong to 'command'",
        ),
        (
            'name = "a"\nstatement = "It."\ncommand = ["b"]\nfiles = ["b.sh"]',
            "trial 'a': there is no file",
        ),
        (
            'name = "a"\nstatement = "It."\ncommand = ["b"]\nprograms = ["b"]',
            r"trial 'a': there is no file .*/workloads/b\.c",
        ),
        (
            'name = "a"\nstatement = "It."\nkernel_tests = true\nprograms = ["b"]',
            "'programs' belong to 'command'",
        ),
        ('name = "a"\nstatement = "It."\nkernel-tests = true', "kernel-tests: Extra inputs"),
        ('name = "A b"\nstatement = "It."\nkernel_tests = true', "name: String should match"),
        ("name = ", "is no TOML"),
    ],
)
def test_mistakes_are_named(text: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "trials.toml"
    path.write_text(f"[[trial]]\n{text}\n")
    with pytest.raises(FormatError, match=sentence):
        load(path)


def test_two_trials_of_one_name_are_refused(tmp_path: Path) -> None:
    trial = '[[trial]]\nname = "a"\nstatement = "It."\nkernel_tests = true\n'
    (tmp_path / "trials.toml").write_text(trial * 2)
    with pytest.raises(FormatError, match="two trials 'a'"):
        load(tmp_path / "trials.toml")


def test_a_trial_there_is_not_names_those_there_are(trials: dict[str, Trial]) -> None:
    with pytest.raises(UsageError, match=r"'tags' names a trial 'sleep'.*: debug, race\."):
        pick(trials, ["debug", "sleep"], "tags")


def test_what_is_done_decides_the_digest_and_words_do_not(trials: dict[str, Trial]) -> None:
    race = trials["race"]
    assert race.model_copy(update={"statement": "Other words."}).digest == race.digest
    assert race.model_copy(update={"cpus": 2}).digest != race.digest
    assert race.model_copy(update={"exception_level": 2}).digest != race.digest
    before = race.digest
    (race.folder / "race.sh").write_text("sleep 2\n")
    assert race.digest != before


def test_what_programs_are_compiled_from_decides_the_digest(
    trials: dict[str, Trial], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "guest" / "workloads"
    folder.mkdir(parents=True)
    (folder / "b.c").write_text("int main;")
    monkeypatch.setenv("GRANULE_DATA", str(tmp_path))
    trial = trials["race"].model_copy(update={"programs": ("b",)})
    before = trial.digest
    assert before != trials["race"].digest
    (folder / "pages.h").write_text("#define PAGES 1")
    assert trial.digest != before


def test_the_digest_does_not_depend_on_where_the_trials_lie(
    trials: dict[str, Trial], tmp_path: Path
) -> None:
    moved = (tmp_path / "torture").rename(tmp_path / "elsewhere")
    digest = trials["race"].model_copy(update={"folder": moved}).digest
    assert load(moved / "trials.toml")["race"].digest == digest


def test_the_trials_that_come_with_granule_and_the_features_fit() -> None:
    catalog, trials = shipped(), load()
    for trial in trials.values():
        catalog.choose(trial.fragments)
    for feature in catalog.features.load_all():
        pick(trials, feature.about.torture, feature.name)
