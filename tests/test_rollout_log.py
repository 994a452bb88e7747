"""The log: what it lacks, what it replies, and what is left of it after a crash."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.files import FileError, RunDir, parts, read_rows, write_table
from labeler.model import Ask, Finish, Outcome, Prefix, Reason, Rollout, Verdict
from labeler.rollout_log import RolloutLog, VerdictRow

PREFIX = Prefix("What is 1 + 1?", "1 + 1 = 2\n", 1)
GOLD = "gold-key"


def rollout(index: int, text: str = "The answer is 2.") -> Rollout:
    return Rollout(PREFIX.key, 1, index, "c", index, text, Finish.STOP, 5, 9, 1.5)


def verdict(index: int, outcome: Outcome = Outcome.CORRECT) -> VerdictRow:
    reason = Reason.UNPARSED_ANSWER if outcome is Outcome.UNGRADABLE else Reason.MATCH
    return VerdictRow(PREFIX.key, "c", index, GOLD, Verdict(outcome, reason, "2", 0.25))


def open_log(folder: Path) -> RolloutLog:
    return RolloutLog(RunDir(folder), "0003", "g1", "hash")


def test_an_empty_log_lacks_everything(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    assert log.missing("c", Ask(PREFIX, 3), GOLD) == [0, 1, 2]
    assert log.reply("c", Ask(PREFIX, 3), GOLD).rollouts == ()


@given(
    outcomes=st.lists(st.sampled_from(list(Outcome)), min_size=1, max_size=12),
    n=st.integers(1, 6),
)
def test_ungradable_rollouts_are_topped_up_once(
    tmp_path_factory: pytest.TempPathFactory, outcomes: list[Outcome], n: int
) -> None:
    log, ask = open_log(tmp_path_factory.mktemp("log")), Ask(PREFIX, n)
    while missing := log.missing("c", ask, GOLD):
        log.append(rollout(i) for i in missing)
        log.judge(verdict(i, outcomes[i % len(outcomes)]) for i in missing)
    reply = log.reply("c", ask, GOLD)
    first = [g.verdict.outcome for g in reply.rollouts[:n]]
    assert len(reply.rollouts) == n + first.count(Outcome.UNGRADABLE) <= 2 * n
    assert [g.rollout.index for g in reply.rollouts] == list(range(len(reply.rollouts)))


def test_what_was_flushed_is_there_again_to_the_byte(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    strange = "naïve \x00 �\r\n <|end|> 答え"
    log.append([rollout(0, strange), rollout(1)])
    log.judge([verdict(0)])
    asyncio.run(log.flush())
    again = open_log(tmp_path)
    assert again.rollouts("c", PREFIX.key) == {0: rollout(0, strange), 1: rollout(1)}
    assert [r.index for r in again.ungraded("c", Ask(PREFIX, 2), GOLD)] == [1]
    assert again.reply("c", Ask(PREFIX, 2), GOLD).rollouts[0].verdict == verdict(0).verdict


def test_a_second_writer_leaves_no_double(tmp_path: Path) -> None:
    one, two = open_log(tmp_path), open_log(tmp_path)
    one.append([rollout(0, "first")])
    two.append([rollout(0, "second"), rollout(1)])
    asyncio.run(one.flush())
    two._attempt += 1
    asyncio.run(two.flush())
    merged = open_log(tmp_path)
    assert merged.rollouts("c", PREFIX.key)[0].text == "first"
    asyncio.run(merged.compact())
    rows = list(read_rows(parts(RunDir(tmp_path).rollouts)))
    assert [(r["index"], r["text"]) for r in rows] == [(0, "first"), (1, "The answer is 2.")]


def test_a_compaction_killed_half_way_is_mended_by_the_next(tmp_path: Path) -> None:
    folder = RunDir(tmp_path).rollouts
    log = open_log(tmp_path)
    log.append([rollout(0), rollout(1)])
    asyncio.run(log.flush())
    [part] = parts(folder)
    kept = part.read_bytes()
    asyncio.run(log.compact())
    part.write_bytes(kept)  # renamed into place, killed before the old part was removed
    again = open_log(tmp_path)
    assert len(again.rollouts("c", PREFIX.key)) == 2
    asyncio.run(again.compact())
    assert len(list(read_rows(parts(folder)))) == 2


def test_other_units_and_graders_are_left_alone(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    log.append([rollout(0)])
    log.judge([verdict(0)])
    asyncio.run(log.compact())
    other = RolloutLog(RunDir(tmp_path), "0003", "g2", "hash")
    assert [r.index for r in other.ungraded("c", Ask(PREFIX, 1), GOLD)] == [0]
    assert not RolloutLog(RunDir(tmp_path), "00", "g1", "hash").rollouts("c", PREFIX.key)


def test_a_torn_part_is_named(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    log.append([rollout(0)])
    asyncio.run(log.flush())
    [part] = parts(RunDir(tmp_path).rollouts)
    part.write_bytes(part.read_bytes()[:-20])
    with pytest.raises(FileError, match=part.name):
        open_log(tmp_path)


def test_a_verdict_whose_rollout_is_gone_does_not_meet_another(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    log.append([rollout(0), rollout(1)])
    log.judge([verdict(0), verdict(1)])
    asyncio.run(log.flush())
    [part] = parts(RunDir(tmp_path).rollouts)
    part.unlink()  # damaged, and moved away as the message says
    again = open_log(tmp_path)
    assert again.missing("c", Ask(PREFIX, 2), GOLD) == [0, 1]
    again.append([rollout(0, "The answer is 99.")])
    assert [r.index for r in again.ungraded("c", Ask(PREFIX, 1), GOLD)] == [0]


def test_another_schema_version_is_refused(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    log = open_log(tmp_path)
    log.append([rollout(0)])
    asyncio.run(log.flush())
    [part] = parts(RunDir(tmp_path).rollouts)
    table = pq.read_table(part)
    write_table(part, table, "hash")
    changed = table.replace_schema_metadata({"labeler.schema_version": "99"})
    pq.write_table(changed, part)
    with pytest.raises(FileError, match="schema version 99"):
        open_log(tmp_path)


def test_a_full_disk_loses_nothing_that_was_committed(tmp_path: Path) -> None:
    """A real refusal by the operating system: the file size limit of a child process."""
    import subprocess
    import sys

    script = f"""
import asyncio, os, resource
from pathlib import Path
from tests.test_rollout_log import open_log, rollout
from labeler.files import FileError
log = open_log(Path({str(tmp_path)!r}))
log.append([rollout(0)])
asyncio.run(log.flush())
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
log.append([rollout(1, os.urandom(100_000).hex())])
try:
    asyncio.run(log.flush())
except FileError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-B", "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parent.parent,
    )
    assert "the disk is full" in done.stdout
    assert "run the same command again" in done.stdout
    assert list(open_log(tmp_path).rollouts("c", PREFIX.key)) == [0]
    assert not list(tmp_path.rglob("*.tmp"))
