"""A synthetic run of any size, really written in the layout of a run: the input of audit_scale.py.

Every unit has its problems, solutions, compacted rollouts and verdicts, a label part and a manifest
entry. Values are drawn as a completer's are: a problem's own before the first error, near zero
from it on. Texts of rollouts are short, since no audit reads them; those of steps are as long as
real ones.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from labeler import files, manifest
from labeler.apps.run import claim
from labeler.config import RunConfig, parse
from labeler.files import RunDir
from labeler.model import Prefix, Problem, digest
from labeler.rollout_log import SOLUTION
from labeler.shards.tables import LABELS

N = 64
"""Rollouts a prefix."""
PROBLEMS, SOLUTIONS = 32, 4
"""A unit's problems, and solutions of each."""
STEPS = range(4, 13)
MEAN = PROBLEMS * (SOLUTIONS * 7 + 1) * N
"""Rollouts of a unit, on average."""
COMPLETER, GRADER = "5f" * 12, "labeler-synthetic"
_SAMPLED_PER_SECOND = 50.0


def config_of(root: Path) -> RunConfig:
    """The configuration that such a run has."""
    data = {
        "name": "synthetic",
        "run_dir": str(root),
        "problems": {"path": "synthetic.jsonl"},
        "completer": {"kind": "endpoint", "url": "http://127.0.0.1:1/v1", "model": "synthetic"},
        "policy": {"kind": "exhaustive", "n": N},
    }
    return parse(data, "synthetic")


def write(root: Path, rollouts: int) -> None:
    """A run with about so many rollouts."""
    config, run = config_of(root), RunDir(root)
    root.mkdir()
    claim(run, config)
    units = max(1, round(rollouts / MEAN))
    files.write_json(root / "units.json", {"units": units})
    for number in range(units):
        _Unit(config, run, number).write()


class _Unit:
    """One unit's tables."""

    def __init__(self, config: RunConfig, run: RunDir, number: int) -> None:
        self._config, self._run, self._number = config, run, number
        self._luck = np.random.default_rng(number)
        self._template = config.prompt.digest
        self.name = f"{number:04d}"
        self._problems = [
            Problem(
                f"p{number}-{i}", f"Question {number}-{i}: how many are left?", str(i), "synthetic"
            )
            for i in range(PROBLEMS)
        ]
        self._rows = [row for problem in self._problems for row in self._solutions(problem)]

    def _solutions(self, problem: Problem) -> Iterator[dict[str, object]]:
        """Its solutions: steps, keys and values of prefixes, the first error."""
        value = self._luck.beta(2.0, 2.0)
        for j in range(SOLUTIONS):
            count = int(self._luck.choice(STEPS))
            steps = [
                f"Step {k}: {problem.id}/{j} works it out, one more line of it."
                for k in range(count)
            ]
            texts = ["".join(f"{s}\n\n" for s in steps[:k]) for k in range(count)]
            texts.append("\n\n".join(steps))
            keys = [
                Prefix(problem.question, text, k, self._template).key
                for k, text in enumerate(texts)
            ]
            error = 0 if j == 0 else int(self._luck.integers(1, count + 1))
            values = np.where(np.arange(count) < (error or count), value, value * 0.03)
            yield {
                "id": digest(problem.id, str(j), size=8), "problem": problem, "steps": steps,
                "keys": keys, "error": error, "values": values,
            }  # fmt: skip

    def write(self) -> None:
        """All tables, and last the manifest entry."""
        self._table(self._run.problems, files.PROBLEMS, self._problem_rows())
        self._table(self._run.solutions, files.SOLUTIONS, self._solution_rows())
        self._log()
        part = f"{self.name}-synthetic.parquet"
        self._label_part(self._run.staged / part)
        entry = manifest.Entry(
            unit=self.name,
            inputs="",
            policy=self._config.policy.model_dump(mode="json"),
            per_problem=0,
            rule=self._config.rule,
            completer=COMPLETER,
            grader=GRADER,
            labels=part,
            problems=PROBLEMS,
            solutions=len(self._rows),
        )
        manifest.commit(self._run, entry)

    def _table(self, folder: Path, schema: pa.Schema, rows: list[dict[str, object]]) -> None:
        table = pa.Table.from_pylist(rows, schema=schema)
        files.write_table(folder / f"{self.name}.parquet", table, self._config.hash)

    def _problem_rows(self) -> list[dict[str, object]]:
        return [
            {"problem_id": p.id, "question": p.question, "gold": p.gold, "source": p.source,
             "position": i}
            for i, p in enumerate(self._problems)
        ]  # fmt: skip

    def _solution_rows(self) -> list[dict[str, object]]:
        return [
            {"solution_id": r["id"], "problem_id": r["problem"].id, "steps": r["steps"],
             "separators": ["\n\n"] * (len(r["steps"]) - 1) + [""], "generator": "", "position": i}
            for i, r in enumerate(self._rows)
        ]  # fmt: skip

    def _log(self) -> None:
        """Rollouts and verdicts; the bare question that siblings share is rolled out once."""
        values = {
            key: (value, row["problem"], k)
            for row in self._rows
            for k, (key, value) in enumerate(zip(row["keys"], row["values"], strict=False))
        }
        prefixes, rows = len(values), len(values) * N
        value, problem, step = zip(*values.values(), strict=True)
        codes = np.repeat(np.arange(prefixes, dtype=np.int32), N)
        correct = self._luck.random(rows) < np.repeat(value, N)
        cut = ~correct & (self._luck.random(rows) < 0.02)
        began = self._number * rows / _SAMPLED_PER_SECOND
        index = np.tile(np.arange(N, dtype=np.int32), prefixes)
        rollouts = [
            _texts(list(values), codes), _texts([p.id for p in problem], codes),
            np.repeat(np.array(step, dtype=np.int32), N), index,
            _texts([COMPLETER], codes * 0), self._luck.integers(0, 2**62, rows),
            _texts(["The answer is 1.", "The answer is 2."], correct.astype(np.int32)),
            _texts(["stop", "length"], cut.astype(np.int32)),
            self._luck.integers(20, 300, rows).astype(np.int32), np.full(rows, 80, dtype=np.int32),
            1.7e9 + began + np.sort(self._luck.random(rows)) * rows / _SAMPLED_PER_SECOND,
        ]  # fmt: skip
        self._columns(self._run.rollouts, files.ROLLOUTS, rollouts)
        own = len(self._rows)
        right = np.array([not r["error"] for r in self._rows])
        keys = [*values, *(r["keys"][-1] for r in self._rows)]
        golds = [*(p.gold_key for p in problem), *(r["problem"].gold_key for r in self._rows)]
        codes = np.concatenate([codes, np.arange(prefixes, prefixes + own, dtype=np.int32)])
        hit = np.concatenate([correct, right]).astype(np.int32)
        reason = hit + 2 * np.concatenate([cut, np.zeros(own, dtype=bool)])
        verdicts = [
            _texts(keys, codes),
            _texts([COMPLETER, SOLUTION], (codes >= prefixes).astype(np.int32)),
            np.concatenate([index, np.zeros(own, dtype=np.int32)]), _texts(golds, codes),
            _texts(["incorrect", "correct"], hit),
            _texts(["wrong", "match", "truncated"], reason.astype(np.int32)),
            _texts(["2", "1"], hit), np.zeros(rows + own, dtype=np.float32),
        ]  # fmt: skip
        self._columns(self._run.verdicts(GRADER), files.VERDICTS, verdicts)

    def _columns(self, folder: Path, schema: pa.Schema, columns: list[object]) -> None:
        table = pa.table(columns, names=schema.names).cast(schema)
        files.write_table(folder / f"{self.name}.parquet", table, self._config.hash)

    def _label_part(self, path: Path) -> None:
        """The columns of labels that an audit reads; the others are null."""
        columns = {
            "problem_id": [r["problem"].id for r in self._rows],
            "solution_id": [r["id"] for r in self._rows],
            "first_error": [r["error"] for r in self._rows],
            "first_error_confidence": [0.9 for _ in self._rows],
        }
        count = len(self._rows)
        made = [columns.get(f.name, pa.nulls(count, f.type)) for f in LABELS]
        files.write_table(path, pa.table(made, names=LABELS.names).cast(LABELS), self._config.hash)


def _texts(words: list[str], codes: NDArray[np.int32]) -> pa.Array:
    """A column of text from codes."""
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(words, pa.string())).cast(
        pa.string()
    )
