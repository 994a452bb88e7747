"""choices.py - how likely a model finds each of a few answers, instead of one that it samples.

A sampler that was made with choices gives no text of the model's: its completion's text is a JSON
object of the log probability of each choice as the next token, over the whole vocabulary and
before any temperature. So it is a row of the log like any other, the same whenever it is asked.
One that a server did not tell is left out: what is not known is not made up.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from labeler.model import Completion, Finish, LabelerError

Choices = tuple[str, ...]
"""The answers to choose from, each one token; empty: the model's own words are sampled."""
SLACK = 1e-3
"""How far above zero rounding may put a log probability."""
SPOKEN = 5
"""Likeliest tokens that a server is asked for: the most that all of them tell."""


def ids_of(tokenizer: Any, choices: Choices) -> dict[str, int]:  # noqa: ANN401 - transformers'
    """The token of each choice. Raises LabelerError where one is no single token of its own."""
    found: dict[str, int] = {}
    for text in choices:
        ids = tokenizer.encode(text, add_special_tokens=False)
        if len(ids) != 1 or ids[0] == tokenizer.unk_token_id or ids[0] in found.values():
            raise LabelerError(
                f"{text!r} is no token of its own for this model (ids {ids}): choose answers that "
                "are, such as one capital letter each"
            )
        found[text] = ids[0]
    return found


def chosen(completion: Completion, ids: Mapping[str, int]) -> Completion:
    """The completion with the log probability of each choice as its text."""
    if completion.finish is Finish.ERROR:
        return completion
    told = completion.logprobs or {}
    text = as_text({choice: told[i] for choice, i in ids.items() if i in told})
    return replace(completion, text=text, finish=Finish.STOP, logprobs=None)


def as_text(logprobs: Mapping[str, float]) -> str:
    """Log probabilities by choice, as the text of a completion."""
    return json.dumps(dict(logprobs), ensure_ascii=False)


def share(text: str, choice: str, other: str) -> float | None:
    """P(choice) among the two, from what `as_text` wrote; None where either was not told.

    e^a / (e^a + e^b) of their log probabilities a and b (Zhang et al. 2024, Generative Verifiers,
    section 3.1, take P(Yes) alone; among the two it does not depend on how a model likes to begin).
    """
    try:
        told = json.loads(text)
        a, b = logprob(told[choice]), logprob(told[other])
    except (ValueError, TypeError, KeyError):
        return None
    if a is None or b is None or max(a, b) == -math.inf:
        return None
    return 1 / (1 + math.exp(min(b - a, 700.0)))


def logprob(value: object) -> float | None:
    """A log probability out of JSON; None for null and NaN, which tell nothing.

    Raises ValueError for all else that is none: no number, or one above zero.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value > SLACK:
        raise ValueError(f"{str(value)[:40]!r} is no log probability")
    try:
        known = float(value)
    except OverflowError as error:
        raise ValueError("a log probability is no such number") from error
    return None if math.isnan(known) else known
