"""judged.py - one unit's log as a judge left it: what to ask, what it said, which labels are kept.

Nothing here asks or writes. What a judge said is read from its rollouts in the log every time, so
that another rule of consensus filtering costs no model.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from labeler.config import RunConfig
from labeler.consensus import Bucket, decide, matters
from labeler.judging import Judged, Judgement, Round, judge_config
from labeler.labels import SolutionLabel
from labeler.manifest import Judge
from labeler.model import Rollout
from labeler.rollout_log import RolloutLog


def judge_of(config: RunConfig, completer: str, chooser: str) -> Judge:
    """The run's judge, as the manifest names it, by the fingerprints of its samplers."""
    judge, settings = config.judge, config.judging
    assert judge is not None
    assert settings is not None
    name = judge.name([completer, *filter(None, [chooser])], config.prompt)
    return Judge(name, completer, settings, chooser)


def worth_asking(row: SolutionLabel, config: RunConfig) -> bool:
    """Whether the judge is to be asked of a solution."""
    assert config.judge is not None
    always = config.judge.when == "always"
    return always or matters(row.first_error, len(row.steps), config.consensus)


def judgement(row: SolutionLabel, judge: Judge, config: RunConfig) -> Judgement:
    """What the judge is asked of a solution, and what it comes to."""
    asked = judge_config(judge.settings)
    threshold = config.consensus.threshold
    return asked.judgement(row.question, row.steps, config.prompt, threshold)


def heard(log: RolloutLog, judge: Judge, of: Round) -> list[list[Rollout]]:
    """The rollouts that the log holds of each ask of a round, by index."""
    completer = judge.chooser if of.chosen else judge.completer
    found = []
    for ask in of.asks:
        held = log.rollouts(completer, ask.prefix.key)
        found.append([held[i] for i in sorted(held) if i < ask.n])
    return found


def judged(log: RolloutLog, row: SolutionLabel, judge: Judge, config: RunConfig) -> Judged:
    """What the judge said of a solution, by the log."""
    asking = judgement(row, judge, config)
    try:
        of = next(asking)
        while True:
            of = asking.send(heard(log, judge, of))
    except StopIteration as done:
        found: Judged = done.value
        return found


def filtered(
    labels: Sequence[SolutionLabel], said: Sequence[Judged], config: RunConfig
) -> list[SolutionLabel]:
    """The labels with what the judge named, whether each is kept, and why not."""
    found = []
    for row, judged in zip(labels, said, strict=True):
        named = judged.first_error
        keep, reason = decide(row.first_error, named, config.consensus)
        if reason == Bucket.JUDGE_UNDECIDED:
            reason = judged.saying.value
        found.append(replace(row, judge_first_error=named, keep=keep, drop_reason=reason))
    return found


def answers(labels: Sequence[SolutionLabel], said: Sequence[Judged]) -> Iterator[dict[str, Any]]:
    """Each answer of the judge to these solutions, as a row of judgements/."""
    for row, judged in zip(labels, said, strict=True):
        for i, answer in enumerate(judged.answers):
            yield {
                "solution_id": row.solution_id,
                "index": i,
                "step": answer.step,
                "first_error": answer.first_error,
                "score": answer.score,
                "text": answer.text,
                "finish": answer.finish.value,
                "n_tokens": answer.n_tokens,
            }
