"""judged.py - one unit's log as a judge left it: what to ask, what it said, which labels are kept.

Nothing here asks or writes. What a judge said is read from its rollouts in the log every time, so
that another rule of consensus filtering costs no model.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from labeler.config import RunConfig
from labeler.consensus import decide
from labeler.judging import JudgeConfig, Judged, read, vote
from labeler.labels import SolutionLabel
from labeler.manifest import Judge
from labeler.model import Ask, Prefix
from labeler.rollout_log import RolloutLog


def judge_of(config: RunConfig, completer: str) -> Judge | None:
    """The run's judge, as the manifest names it, by the fingerprint of its sampler."""
    judge = config.judge
    if judge is None:
        return None
    return Judge(judge.name(completer, config.prompt), completer, judge.model_dump(mode="json"))


def asks(config: RunConfig, labels: Sequence[SolutionLabel]) -> Iterator[Ask]:
    """What to ask the judge of these solutions: only where the answer can change what is kept."""
    judge = config.judge
    assert judge is not None
    for row in labels:
        if judge.when == "always" or row.first_error is not None:
            yield Ask(_shown(judge, row, config), judge.samples)


def _shown(judge: JudgeConfig, row: SolutionLabel, config: RunConfig) -> Prefix:
    return judge.shown(row.question, row.steps, config.prompt)


def judged(log: RolloutLog, row: SolutionLabel, judge: Judge, config: RunConfig) -> Judged:
    """What the judge said of a solution."""
    asked = JudgeConfig.model_validate(judge.settings)
    held = log.rollouts(judge.completer, _shown(asked, row, config).key)
    said = [held[i] for i in sorted(held) if i < asked.samples]
    return vote([read(r.text, r.finish, len(row.steps)) for r in said], asked.samples)


def filtered(
    log: RolloutLog, labels: Sequence[SolutionLabel], judge: Judge, config: RunConfig
) -> list[SolutionLabel]:
    """The labels with what the judge named, whether each is kept, and why not."""
    found = []
    for row in labels:
        named = judged(log, row, judge, config).first_error
        keep, reason = decide(row.first_error, named, config.consensus)
        found.append(replace(row, judge_first_error=named, keep=keep, drop_reason=reason))
    return found


def answers(
    log: RolloutLog, labels: Sequence[SolutionLabel], judge: Judge, config: RunConfig
) -> Iterator[dict[str, Any]]:
    """Each answer of the judge to these solutions, as a row of judgements/."""
    asked = JudgeConfig.model_validate(judge.settings)
    for row in labels:
        held = log.rollouts(judge.completer, _shown(asked, row, config).key)
        for i in sorted(held):
            if i < asked.samples:
                yield {
                    "solution_id": row.solution_id,
                    "index": i,
                    "first_error": read(held[i].text, held[i].finish, len(row.steps)),
                    "text": held[i].text,
                    "finish": held[i].finish.value,
                    "n_tokens": held[i].n_tokens,
                }
