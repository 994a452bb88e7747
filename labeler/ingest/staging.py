"""staging.py - a temporary database that knows every id of a run: what makes ingest stream.

It lies in the run directory under a temporary name (`files.sweep` removes what a killed process
left), and is never synced: the tables are the truth, this is an index of them together with
the rows that are not in them yet. Of what the tables hold it keeps keys, not texts.
"""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from labeler import files
from labeler.files import FileError, RunDir
from labeler.ingest import quarantine
from labeler.ingest.units import (
    TableRow,
    bucket_named,
    bucket_of,
    problem_content,
    solution_content,
)
from labeler.model import Problem, Solution

_SCHEMA = """
CREATE TABLE problems (id TEXT PRIMARY KEY, content TEXT, key TEXT, unit INTEGER, new INTEGER,
  question TEXT, gold TEXT, source TEXT, position INTEGER);
CREATE TABLE solutions (id TEXT PRIMARY KEY, content TEXT, problem_id TEXT, new INTEGER,
  steps TEXT, separators TEXT, generator TEXT, position INTEGER);
CREATE INDEX solutions_of ON solutions (problem_id);
"""


class Staging:
    """Ids and contents of all problems and solutions of a run, and the rows of the new ones."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db

    def load(self, run: RunDir) -> None:
        """Learn what the tables hold. Generated solutions are no input and are left out."""
        for path in files.parts(run.problems):
            unit = bucket_named(path)
            self.db.executemany(
                "INSERT INTO problems (id, content, key, unit, new) VALUES (?, ?, '', ?, 0)",
                [
                    (r["problem_id"], problem_content(r["question"], r["gold"]), unit)
                    for r in files.read_rows([path], ["problem_id", "question", "gold"])
                ],
            )
        # By themselves, since a table of problems may be missing and be made anew.
        for path in (p for p in files.parts(run.solutions) if p.stem.isdigit()):
            self.db.executemany(
                "INSERT INTO solutions (id, content, problem_id, new) VALUES (?, ?, ?, 0)",
                [
                    (r["solution_id"], solution_content(r), r["problem_id"])
                    for r in files.read_rows([path])
                ],
            )

    def claim(self, problem: Problem, position: int) -> bool:
        """Whether the id is this problem's: it is from now on, unless another has it."""
        content = problem_content(problem.question, problem.gold)
        found = self.db.execute(
            "SELECT content FROM problems WHERE id = ?", (problem.id,)
        ).fetchone()
        if found:
            return bool(found[0] == content)
        self.db.execute(
            "INSERT INTO problems VALUES (?, ?, ?, NULL, 1, ?, ?, ?, ?)",
            (problem.id, content, problem.question_key, problem.question, problem.gold,
             problem.source, position),
        )  # fmt: skip
        return True

    def add(self, solution: Solution, position: int) -> None:
        """Note a solution; one that is noted already changes nothing."""
        row: TableRow = {
            "problem_id": solution.problem_id,
            "generator": solution.generator,
            "steps": [s.text for s in solution.steps],
            "separators": [s.separator for s in solution.steps],
        }
        self.db.execute(
            "INSERT OR IGNORE INTO solutions VALUES (?, ?, ?, 1, ?, ?, ?, ?)",
            (solution.id, solution_content(row), solution.problem_id, json.dumps(row["steps"]),
             json.dumps(row["separators"]), solution.generator, position),
        )  # fmt: skip

    def count(self, table: str) -> int:
        """How many problems or solutions there are, new or not."""
        (count,) = self.db.execute(f"SELECT count(*) FROM {table}").fetchone()
        return int(count)

    def assign(self, units: int) -> None:
        """Give each new problem its unit."""
        self.db.create_function("bucket", 1, lambda key: bucket_of(key, units), deterministic=True)
        self.db.execute("UPDATE problems SET unit = bucket(key) WHERE new")
        self.db.execute("CREATE INDEX problems_of ON problems (unit)")

    def units(self) -> list[int]:
        """Buckets that hold problems, in order."""
        return [u for (u,) in self.db.execute("SELECT DISTINCT unit FROM problems ORDER BY unit")]

    def new_problems(self, unit: int) -> list[TableRow]:
        """Rows of files.PROBLEMS that the unit's table lacks."""
        names = ("problem_id", "question", "gold", "source", "position")
        query = "SELECT id, question, gold, source, position FROM problems WHERE unit = ? AND new"
        return [dict(zip(names, row, strict=True)) for row in self.db.execute(query, (unit,))]

    def new_solutions(self, unit: int) -> list[TableRow]:
        """Rows of files.SOLUTIONS that the unit's table lacks."""
        names = ("solution_id", "problem_id", "steps", "separators", "generator", "position")
        query = """SELECT s.id, s.problem_id, s.steps, s.separators, s.generator, s.position
          FROM problems p JOIN solutions s ON s.problem_id = p.id WHERE p.unit = ? AND s.new"""
        rows = [dict(zip(names, row, strict=True)) for row in self.db.execute(query, (unit,))]
        return [
            r | {"steps": json.loads(r["steps"]), "separators": json.loads(r["separators"])}
            for r in rows
        ]

    def contents(self, unit: int) -> list[str]:
        """Contents of all problems and given solutions of a unit, in no order."""
        query = """SELECT content || ' ' || id FROM problems WHERE unit = :u UNION ALL
          SELECT s.content FROM problems p JOIN solutions s ON s.problem_id = p.id
          WHERE p.unit = :u"""
        return [c for (c,) in self.db.execute(query, {"u": unit})]


@contextmanager
def staging(run: RunDir) -> Iterator[Staging]:
    """An empty staging database, gone afterwards. Database errors become FileErrors."""
    path = run.root / f".ingest.{os.getpid()}.tmp"
    try:
        run.root.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(f"cannot write {path}: {error}.") from error
    try:
        db = sqlite3.connect(path, isolation_level=None)
        try:
            db.execute("PRAGMA journal_mode = OFF")
            db.execute("PRAGMA synchronous = OFF")
            db.execute("PRAGMA cache_size = -65536")
            db.executescript(_SCHEMA)
            db.execute("BEGIN")
            quarantine.create(db)
            yield Staging(db)
        finally:
            db.close()
    except sqlite3.Error as error:
        raise FileError(
            f"cannot write {path}: {error}. Everything committed before is safe: make room (or "
            "mend the directory) and run the same command again."
        ) from error
    finally:
        path.unlink(missing_ok=True)
