"""Configuration: what ships loads, what is wrong is explained, and what identifies a run."""

import os
from pathlib import Path

import pytest
import yaml

from labeler.config import ConfigError, RunConfig, apply_overrides, load, parse
from labeler.policies import Adaptive
from labeler.posterior import ValueModel
from tests.conftest import ROOT

SHIPPED = sorted((ROOT / "configs").glob("*.yaml"))
MINIMAL = {"name": "n", "problems": {"path": "p.jsonl"}, "completer": {"kind": "planted"}}


def config(*overrides: str) -> RunConfig:
    data = {key: dict(v) if isinstance(v, dict) else v for key, v in MINIMAL.items()}
    apply_overrides(data, overrides)
    return parse(data, "test")


@pytest.mark.parametrize("path", SHIPPED, ids=lambda p: p.stem)
def test_every_shipped_config_loads(path: Path) -> None:
    loaded = load(path)
    assert loaded.name == path.stem
    header = path.read_text().split("\nname:")[0]
    for word in ("# What: ", "# Cost: ", "# Command: labeler run configs/"):
        assert word in header
    assert RunConfig.model_validate(loaded.model_dump(mode="json")) == loaded


def test_every_policy_has_a_config() -> None:
    kinds = {load(path).policy.kind for path in SHIPPED if path.stem == load(path).policy.kind}
    assert kinds == {"exhaustive", "scan", "bisection", "adaptive", "omega"}


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("polcy.n=3", "polcy: no such key; did you mean 'policy'?"),
        ("policy.nn=3", "policy.nn: no such key; did you mean 'n'?"),
        ("policy.kind=bisecton", "policy"),
        ("completer.samplng={}", "completer.samplng: no such key; did you mean 'sampling'?"),
        ("completer.sampling.temprature=1", "did you mean 'temperature'?"),
        ("runner.actrs=2", "runner.actrs: no such key; did you mean 'actors'?"),
        ("policy.n=0", "policy"),
        ("policy.n=many", "policy"),
        ("name=a/b", "name"),
        ("problems.path.deep=1", "path is a single value"),
        ("just text", "key.sub=value"),
        ("name=..", "name"),
        ("name=.hidden", "name"),
        ("run_dir=$NO_SUCH_VARIABLE/x", "$NO_SUCH_VARIABLE is not set"),
        ("run_dir=~no_such_user/x", "~no_such_user is not set"),
        ('run_dir="a\\0b"', "run_dir"),
        ('problems.source="\\ud800"', "problems.source"),
        ('problems.columns.id="\\ud800"', "problems.columns.id"),
        ("seed=2024-13-45", "month must be in 1..12"),
        ("seed=!!int x", "seed=!!int x"),
        ("seed=!!timestamp x", "seed=!!timestamp x"),
        ("seed=" + "[" * 5000, "is not YAML"),
        ("labels.best_of=[2, 999]", "no 999 can be drawn"),
    ],
)
def test_what_is_wrong_is_named(override: str, said: str) -> None:
    with pytest.raises(ConfigError) as error:
        config(override)
    assert said in str(error.value)
    assert "https://errors.pydantic.dev" not in str(error.value)


@pytest.mark.parametrize(
    "text",
    ["- a\n- b", "a: [", "", "\x00", "a: 2024-13-45", "a: !!int x", "a: !!timestamp x", "[" * 5000],
)
def test_a_file_that_is_no_config_is_explained(tmp_path: Path, text: str) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"c\.yaml"):
        load(path)
    with pytest.raises(ConfigError, match="cannot read"):
        load(tmp_path / "absent.yaml")


def test_overrides_replace_and_add(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(yaml.safe_dump(MINIMAL))
    loaded = load(path, ["policy.n=16", "labels={right_answers: true}", "seed=7"])
    assert (loaded.policy.n, loaded.labels.right_answers, loaded.seed) == (16, True, 7)


@pytest.mark.parametrize(
    "override",
    [
        "policy.n=64", "policy.kind=scan", "labels.right_answers=true", "problems.path=q.jsonl",
        "runner.kind=inline", "flush_seconds=1", "value_model.kappa_dead=3",
        "grading.timeout_s=9", "completer.delay_ms=5",
    ],
)  # fmt: skip
def test_what_does_not_change_sampling_is_the_same_run(override: str) -> None:
    assert config(override).hash == config().hash


@pytest.mark.parametrize(
    "override",
    ["seed=1", "completer.sampling.temperature=0.1", "prompt.system=Think.", "steps.split=markers",
     "generator={per_problem: 2}"],
)  # fmt: skip
def test_what_changes_sampling_is_another_run(override: str) -> None:
    assert config(override).hash != config().hash


@pytest.fixture
def fitted(tmp_path: Path) -> Path:
    """A file such as `labeler calibrate` writes."""
    path = tmp_path / "fitted.yaml"
    path.write_text("value_model: {hazard: 0.3, v_a: 2}\ntruth_map:\n- [0.5, 0.4]\n")
    return path


def test_one_value_model_serves_the_policy_and_the_labels(fitted: Path) -> None:
    model = ValueModel(hazard=0.3, v_a=2)
    inline = config("policy.kind=adaptive", "value_model={hazard: 0.3, v_a: 2}")
    named = config("policy.kind=adaptive", f"value_model={fitted}")
    assert named == inline
    assert isinstance(named.policy, Adaptive)
    assert named.policy.value_model == named.labels.value_model == named.value_model == model
    assert named.hash == config().hash
    assert RunConfig.model_validate(named.model_dump(mode="json")) == named


def test_own_value_models_come_first(fitted: Path) -> None:
    both = config("policy.kind=adaptive", f"value_model={fitted}", "labels.value_model={v_b: 3}")
    assert both.labels.value_model == ValueModel(v_b=3)
    assert isinstance(both.policy, Adaptive)
    assert both.policy.value_model == both.value_model
    assert config(f"value_model={fitted}", "policy.n=3").policy.n == 3
    for key in ("labels", "policy"):
        alone = config("policy.kind=adaptive", f"{key}.value_model={fitted}")
        assert getattr(alone, key).value_model == both.value_model
        assert alone.value_model is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("value_model: {hazrd: 0.3}", "value_model.hazrd: no such key; did you mean 'hazard'?"),
        ("value_model: {hazard: 3}", "value_model.hazard"),
        ("hazard: 0.3", "none of `labeler calibrate`'s files"),
        ("value_model: 3", "value_model: "),
        ("[", "is not YAML"),
        (None, "cannot read"),
    ],
)
def test_a_file_that_is_no_value_model_is_explained(
    tmp_path: Path, text: str | None, said: str
) -> None:
    path = tmp_path / "fitted.yaml"
    if text is not None:
        path.write_text(text)
    for key in ("value_model", "labels.value_model"):
        with pytest.raises(ConfigError) as error:
            config(f"{key}={path}")
        assert said in str(error.value)
    with pytest.raises(ConfigError, match="is not set"):
        config("value_model=$NO_SUCH_VARIABLE/fitted.yaml")


def test_searches_that_wait_for_replies_have_more_units_in_flight() -> None:
    assert config().units_in_flight == 2
    assert config("policy.kind=adaptive").units_in_flight == 16
    assert config("policy.kind=adaptive", "runner.units_in_flight=3").units_in_flight == 3


def test_more_generated_solutions_are_the_same_run() -> None:
    two, three = config("generator={per_problem: 2}"), config("generator={per_problem: 3}")
    assert two.hash == three.hash


def test_an_engine_setting_or_address_is_no_identity() -> None:
    endpoint = ["completer={kind: endpoint, url: 'http://a/v1', model: m, tokenizer: t}"]
    one = config(*endpoint)
    other = config(*endpoint, "completer.url=http://b/v1", "completer.engine.concurrency=3")
    assert one.hash == other.hash


def test_the_run_directory_follows_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER_OF_THIS_TEST", "somebody")
    assert config().root == Path.cwd() / "runs" / "n"
    assert config("run_dir=/x/y").root == Path("/x/y")
    assert config("run_dir=~/$USER_OF_THIS_TEST").root == Path.home() / "somebody"
    assert not os.path.exists(config().root)


def test_yes_and_no_are_words_and_still_switch() -> None:
    """A verifier's two answers are keys called so, and may be called so themselves."""
    judge = config("judge={kind: verify, yes: Yes, no: No}").judge
    assert (judge.choices, judge.kind) == (("Yes", "No"), "verify")
    for word, value in {"yes": True, "off": False, "true": True, "False": False}.items():
        assert config(f"labels.weighted={word}").labels.weighted is value


def test_one_best_of_needs_no_list() -> None:
    assert config("labels.best_of=4").labels.best_of == (4,)
