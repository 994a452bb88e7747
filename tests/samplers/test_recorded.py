"""A pool is replayed as it was recorded, and nothing is made up."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.grading import AnswerGrader
from labeler.model import Completion, Finish, LabelerError, Outcome, Prefix, SamplerError
from labeler.prompts import PromptConfig
from labeler.samplers import GENERATOR, RecordedConfig
from labeler.samplers.recorded import shuffled

PREFIX = Prefix("What is 1 + 1?", "1 + 1 = 2\n", 1)


def row(index: int, text: str = "So 2.", completer: str = "abc", finish: str = "stop") -> dict:
    return {
        "prefix_key": PREFIX.key,
        "step": 1,
        "index": index,
        "completer": completer,
        "seed": None if index % 2 else 5,
        "text": text,
        "finish": finish,
        "n_tokens": 3,
        "prompt_tokens": 9,
        "created_at": 0.5,
    }


def write(folder: Path, name: str, rows: list[dict]) -> Path:
    folder.mkdir(exist_ok=True, parents=True)
    pq.write_table(pa.Table.from_pylist(rows), folder / name)
    return folder / name


async def replay(
    config: RecordedConfig, indices: list[int], role: str = "completer"
) -> tuple[str, Sequence[Completion]]:
    async with config.open(PromptConfig(), 1) as source:
        sampler = source.sampler(role=role)
        return sampler.completer, await sampler.complete(PREFIX, indices)


async def test_a_run_directory_is_replayed_and_a_gap_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / "rollouts", "a.parquet", [row(0), row(1, "é", finish="length")])
    write(tmp_path / "rollouts", "b.parquet", [row(1, "doubled"), row(3)])
    completer, got = await replay(RecordedConfig(path=tmp_path), [1, 0, 2])
    assert completer == "abc"
    assert got[0] == Completion("é", Finish.LENGTH, 3, 9, None)
    assert got[1] == Completion("So 2.", Finish.STOP, 3, 9, 5)
    assert got[2].finish is Finish.ERROR
    assert got[2].text == f"the recorded pool has no rollout 2 of prefix {PREFIX.key}"


async def test_a_pool_of_several_completers_needs_a_choice(tmp_path: Path) -> None:
    file = write(tmp_path, "pool.parquet", [row(0, completer="abc"), row(0, "B", completer="def")])
    with pytest.raises(SamplerError, match="abc, def"):
        await replay(RecordedConfig(path=file), [0])
    completer, [got] = await replay(RecordedConfig(path=file, completer="def"), [0])
    assert (completer, got.text) == ("def", "B")
    with pytest.raises(SamplerError, match="generator"):
        await replay(RecordedConfig(path=file, completer="def"), [0], GENERATOR)
    config = RecordedConfig(path=file, completer="def", generator="abc")
    completer, [got] = await replay(config, [0], GENERATOR)
    assert (completer, got.text) == ("abc", "So 2.")


@given(seed=st.integers(0, 2**31), n=st.integers(1, 40))
def test_a_shuffled_pool_gives_each_rollout_once_in_its_seeds_order(seed: int, n: int) -> None:
    order = shuffled(seed, PREFIX.key, range(n))
    assert sorted(order) == list(range(n))
    assert shuffled(seed, PREFIX.key, reversed(range(n))) == order
    assert n < 10 or shuffled(seed + 1, PREFIX.key, range(n)) != order


async def test_shuffling_changes_the_order_alone(tmp_path: Path) -> None:
    file = write(tmp_path, "pool.parquet", [row(i, f"So {i}.") for i in range(20)])
    _, plain = await replay(RecordedConfig(path=file), list(range(20)))
    config = RecordedConfig(path=file, shuffle=True)
    _, whole = await replay(config, list(range(20)))
    _, part = await replay(config, [3, 7])
    assert whole != plain
    assert sorted(c.text for c in whole) == sorted(c.text for c in plain)
    assert part == [whole[3], whole[7]]


async def test_verdicts_alone_are_replayed_as_texts_that_get_them_again(tmp_path: Path) -> None:
    told = {"key": PREFIX.key, "prompt_tokens": 9, "correct": [True, False, None]}
    pool = [{"answer": "26", "completer": "abc", "prefixes": [told | {"n_tokens": [3, 4, 5]}]}]
    file = write(tmp_path, "verdicts.parquet", pool)
    completer, got = await replay(RecordedConfig(path=file), [0, 1, 2, 3])
    assert completer == "abc"
    assert [c.n_tokens for c in got] == [3, 4, 5, 0]
    assert got[3].finish is Finish.ERROR
    async with AnswerGrader() as grader:
        said = await grader.grade(
            "26", [("The answer is 26.\n" + c.text, c.finish) for c in got[:3]]
        )
    assert [v.outcome for v in said] == [Outcome.CORRECT, Outcome.INCORRECT, Outcome.UNGRADABLE]


async def test_what_is_no_pool_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LabelerError, match="neither"):
        await replay(RecordedConfig(path=tmp_path / "nowhere"), [0])
    strange = tmp_path / "strange.parquet"
    pq.write_table(pa.table({"x": [1]}), strange)
    with pytest.raises(LabelerError, match="does not hold rollouts"):
        await replay(RecordedConfig(path=strange), [0])
    torn = tmp_path / "torn.parquet"
    torn.write_bytes(b"PAR1 torn")
    with pytest.raises(LabelerError, match=r"torn\.parquet"):
        await replay(RecordedConfig(path=torn), [0])
