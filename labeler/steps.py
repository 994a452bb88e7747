r"""steps.py - solution text <-> steps, pure and lossless.

1. Joining each step's text with its separator gives back the text, for every text.
2. A separator is white space. It ends with its last newline, so that indentation stays with
   the step that it indents (a prefix that ends in spaces tokenises badly); only the last
   separator, the white space that ends the text, can be of any kind.
3. No step is split inside display mathematics (`$$..$$`, `\[..\]`, align- and matrix-like
   environments), a ``` code fence, or an [asy] drawing. An opener that is never closed
   protects nothing, so one stray `$$` cannot swallow the rest of a solution.
4. Splitting the text of a step again gives that step alone.
5. Time is linear in the length of the text.

It does not know what a step means, and refuses nothing: limits are for whoever reads input.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from labeler.model import Step
from labeler.params import Params

_ENVIRONMENTS = (
    "align|alignat|aligned|alignedat|array|cases|displaymath|eqnarray|equation|flalign|gather"
    "|gathered|[bBpvV]?matrix|smallmatrix|multline|split|tabular"
)
# `\\` and `\$` come first: the line break `\\[2pt]` holds no `\[`, and `\$$` no `$$`.
_TOKEN = re.compile(
    r"\\\\|\\\$"
    rf"|\\begin\{{(?P<begin>(?:{_ENVIRONMENTS})\*?)\}}"
    rf"|\\end\{{(?P<end>(?:{_ENVIRONMENTS})\*?)\}}"
    r"|(?P<open>\\\[|\[asy\])|(?P<close>\\\]|\[/asy\])"
    r"|(?P<dollars>\$\$)|^[ \t]*+(?P<fence>`{3,})|(?P<newline>\n)",
    re.MULTILINE,
)
_OPENER = {"\\]": "\\[", "[/asy]": "[asy]"}
_MARKER = re.compile(
    r"[ \t]*+(?:\#{1,6}+[ \t]*+)?+(?:\*\*)?+step[ \t]++\d{1,6}+[ \t]*+(?:\*\*)?+[:.]", re.IGNORECASE
)


class StepsConfig(Params):
    """How the text of a solution is cut into steps, and which solutions are too large."""

    split: Literal["newline", "blank_line", "markers"] = "newline"
    """Where a step ends: at a newline, at a blank line, or before a line like `Step 2:` (with or
    without markdown's `##` and `**`; text before the first marker is a step of its own)."""

    merge_below: NonNegativeInt = 0
    """Join a step of fewer characters with the one after it, the last one with the one before:
    for long chains of thought, where one rollout batch a line would be waste. 0: never."""

    joiner: str = Field(default="\n", pattern=r"^\s+$")
    """White space that stands between the steps of a solution that is given as a list."""

    max_steps: PositiveInt = 200
    """A solution with more steps is quarantined."""

    max_chars: PositiveInt = 50_000
    """A solution with more characters is quarantined."""


def split(text: str, config: StepsConfig) -> tuple[Step, ...]:
    """Cut a solution into steps (see the laws above).

    Nothing for the empty text; one step, that text, for one of white space alone. Leading white
    space belongs to the first step. No other step is blank, or ends in white space.
    """
    if not text or text.isspace():
        return (Step(text, ""),) if text else ()
    steps: list[Step] = []
    begin = 0
    for first, end, newlines in _breaks(text):
        if not _ends_step(text, end, newlines, config):
            continue
        body = text[begin:first].rstrip()
        if body:
            steps.append(Step(body, text[begin + len(body) : end]))
            begin = end
    rest = text[begin:]
    body = rest.rstrip()
    if body:
        steps.append(Step(body, rest[len(body) :]))
    else:
        steps[-1] = Step(steps[-1].text, steps[-1].separator + rest)
    return tuple(_merge(steps, config.merge_below)) if config.merge_below else tuple(steps)


def from_list(steps: Sequence[str], joiner: str = "\n") -> tuple[Step, ...]:
    """The steps of a solution that is given as a list of texts.

    `joiner` is white space. White space that ends a given step moves to its separator, which
    then ends with `joiner` (added only where it is not there already); the last one gets no
    joiner. A blank entry is no step: it becomes part of the separator before it, and is dropped
    before the first step.
    """
    made: list[Step] = []
    for number, given in enumerate(steps, 1):
        body = given.rstrip()
        tail = given[len(body) :]
        if number < len(steps) and not tail.endswith(joiner):
            tail += joiner
        if body:
            made.append(Step(body, tail))
        elif made:
            made[-1] = Step(made[-1].text, made[-1].separator + tail)
    return tuple(made)


def _ends_step(text: str, end: int, newlines: int, config: StepsConfig) -> bool:
    """Whether a run of white space with `newlines` newlines, up to `end`, ends a step."""
    if config.split == "newline":
        return True
    if config.split == "blank_line":
        return newlines > 1
    return _MARKER.match(text, end) is not None


def _breaks(text: str) -> Iterator[tuple[int, int, int]]:
    """Runs of unprotected newlines with nothing but white space between.

    Each as (place of its first newline, place after its last one, how many).
    """
    first, last, count = -1, -1, 0
    for place in _free_newlines(text):
        if count and not text[last + 1 : place].strip():
            last, count = place, count + 1
            continue
        if count:
            yield first, last + 1, count
        first, last, count = place, place, 1
    if count:
        yield first, last + 1, count


def _free_newlines(text: str) -> Iterator[int]:
    """Places of the newlines outside everything that protects."""
    tokens = [m for m in _TOKEN.finditer(text) if m.lastgroup]
    closer = _closers(tokens)
    i = 0
    while i < len(tokens):
        if tokens[i].lastgroup == "newline":
            yield tokens[i].start()
        i = closer.get(i, i) + 1


def _closers(tokens: Sequence[re.Match[str]]) -> dict[int, int]:
    """For each opener that is closed, the index of its closer.

    Brackets and environments nest, each kind by itself; `$$` and fences pair with the next one.
    """
    closer: dict[int, int] = {}
    waiting: dict[str, list[int]] = {}
    for i, token in enumerate(tokens):
        kind = token.lastgroup
        if kind in ("begin", "open"):
            waiting.setdefault(token[kind], []).append(i)
        elif kind in ("end", "close"):
            opened = waiting.get(_OPENER.get(token[kind], token[kind]))
            if opened:
                closer[opened.pop()] = i
        elif kind in ("dollars", "fence"):
            before = waiting.setdefault(kind, [])
            if before:
                closer[before.pop()] = i
            before.append(i)
    return closer


def _merge(steps: Sequence[Step], least: int) -> Iterator[Step]:
    """Steps of at least `least` characters (or one shorter, where that is all there is)."""
    groups: list[list[Step]] = []
    size = least
    for step in steps:
        if size >= least:
            groups.append([])
            size = 0
        else:
            size += len(groups[-1][-1].separator)
        groups[-1].append(step)
        size += len(step.text)
    if size < least and len(groups) > 1:
        tail = groups.pop()
        groups[-1] += tail
    for group in groups:
        text = "".join(s.text + s.separator for s in group[:-1]) + group[-1].text
        yield Step(text, group[-1].separator)
