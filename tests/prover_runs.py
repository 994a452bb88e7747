"""Runs with further completers, for tests: two of them, and their columns."""

from typing import Any

CUT = {"name": "cut", "completer": {"kind": "planted", "truncated": 0.3}, "n": 6}
"""A weaker prover: three in ten of its completions end before the answer."""
SAME = {"name": "same", "n": 4}
"""The run's own completer once more."""


def columns(row: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The columns of prefixes 0..K under one prover."""
    every = [row["provers_0"], *(step["provers"] for step in row["labels"])]
    return [next(p for p in provers if p["prover"] == name) for provers in every]
