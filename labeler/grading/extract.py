r"""extract.py - completion text to one answer span.

The span is, in this order: the content of the last `\boxed` or `\fbox` (braced or bare; boxes
joined by commas or "and" are one list), else what follows the last of `####`, a line's `A:`,
`answer is` and `answer:`. Nothing else is an answer: no number is fished out of prose.
1. Only the last WINDOW characters are looked at, and only what follows a `</think>` there.
2. Time is linear in WINDOW on any input.
3. It does not know what an answer means; values.py reads the span.
"""

import re

WINDOW = 4096
"""Characters of a completion's end that are looked at."""

_BOXES = ("\\boxed", "\\fbox")
_LEAD = " \t\r\n\f\v,;:?*\"'`“”‘’"
_TRAIL = _LEAD.replace("'", "") + ".\\~。"
"""A prime at the end belongs to the answer, unless it is the quote that closes one."""
_ANSWER = re.compile(r"nswer(?:\s{1,2}is(?![A-Za-z])[\s*]{0,3}:?|[\s*]{0,3}:)", re.IGNORECASE)
_DOTS = re.compile(r"[0-9](\.{3}|…)[\s$]*\Z")
"""Dots that go on with a decimal."""
_CLAUSE = re.compile(
    r"\.(?=\s|$)|,? (?:because|since|so|as|which|therefore|thus)\b|, (?!and\b|or\b)(?=[a-z]{2})"
)
_END_TOKENS = re.compile(
    r"<\|[a-z_0-9]{1,30}\|>|</s>|<eos>|<end_of_turn>|</answer>|<｜[^｜]{1,30}｜>"
)
"""What a model or its template writes behind an answer."""
_FENCES = {"$$": "$$", "$": "$", "\\[": "\\]", "\\(": "\\)"}
_FENCE = re.compile(r"[\s:*]{0,9}(\$\$|\$(?=\s*[\\A-Za-z({])|\\\[|\\\()")
"""A dollar sign before a digit is money."""
_ENVIRONMENT = re.compile(r"\\begin\{([a-z]{1,12})\}[^$]*?\\end\{\1\}")
_JUDGED = re.compile(r"(?:correct|right|wrong|incorrect|verified|confirmed|valid)\b", re.IGNORECASE)
_BLANK = r"(?:[\s$]|\\[\[\]()])"
_AND = r"(?:and|or|\\text\{ ?(?:and|or) ?\})"
_JOIN = re.compile(
    rf"{_BLANK}{{0,9}}(?:,{_BLANK}{{0,9}}{_AND}?|{_AND}){_BLANK}{{0,9}}(?:[A-Za-z] ?= ?)?\Z"
)


def extract(text: str) -> str | None:
    """The answer span of a completion, decoration stripped, or None where it states none."""
    tail = _tail(text)
    at = _last_box(tail)
    if at >= 0:
        return _boxed(tail, at)
    for _ in range(5):
        start = _last_marker(tail, whole=len(tail) == len(text))
        span = _marked(tail, start) if start >= 0 else None
        if span is None or not span[0].isalpha() or not _JUDGED.match(span):
            return span
        tail = tail[:start].rstrip(" \t*:")[:-1]  # this marker states none: cut, it is no more
    return None


def cut_short(text: str) -> bool:
    r"""Whether the last box of a completion is never closed: its answer was cut off."""
    tail = _tail(text)
    at = _last_box(tail)
    if at < 0:
        return False
    begin = _content(tail, at)
    return begin < len(tail) and tail[begin] == "{" and _close(tail, begin) < 0


def tidy(span: str) -> str:
    """A span without the decoration around it: spaces, quotes, bold, maths fences, full stop."""
    plain = span.strip()
    if plain.isalnum():
        return plain
    for _ in range(8):
        bare = span.lstrip(_LEAD)
        quoted = "'" in span[: len(span) - len(bare)]
        dots = _DOTS.search(bare) if "..." in bare or "…" in bare else None
        span = bare.rstrip(_TRAIL + "'" * quoted) + (dots.group(1) if dots else "")
        if dots:
            break
        if span.isalnum():
            break
        before = span
        if len(span) > 1 and span[0] == span[-1] == "$":
            span = span[1:-1]
        elif span.startswith(("\\(", "\\[")):
            span = span[2:]
            span = span[:-1] if span.endswith((")", "]")) and _unpaired(span) else span
        if span == before:
            break
    return "" if span == "$" else span


def _unpaired(span: str) -> bool:
    r"""Whether the last bracket of a span closes none of it: the rest of a stripped `\\)`."""
    close = span[-1]
    return span.count(close) > span.count("(" if close == ")" else "[")


def _tail(text: str) -> str:
    tail = text[-WINDOW:]
    if "<" not in tail:
        return tail
    thought = tail.rfind("</think>")
    return _END_TOKENS.sub("\n", tail if thought < 0 else tail[thought + 8 :])


def _last_box(tail: str, end: int | None = None) -> int:
    """Where the last box command starts, or -1."""
    return max(tail.rfind(box, 0, end) for box in _BOXES) if "box" in tail else -1


def _content(tail: str, at: int) -> int:
    """Where a box command's content starts, blanks skipped."""
    at += 6 if tail.startswith(_BOXES[0], at) else 5
    while at < len(tail) and tail[at] in " \t\n":
        at += 1
    return at


def _boxed(tail: str, at: int) -> str | None:
    begin = _content(tail, at)
    if begin >= len(tail):
        return None
    if tail[begin] != "{":
        bare = re.split(r"[\s$]", tail[begin : begin + 200], maxsplit=1)[0]
        return tidy(bare) or None
    end = _close(tail, begin)
    if end < 0:
        return None
    parts = [tidy(tail[begin + 1 : end])]
    for _ in range(20):
        joined = _joined_box(tail, at)
        if joined is None:
            break
        at, content = joined
        parts.append(tidy(content))
    return ", ".join(dict.fromkeys(reversed(parts))) if all(parts) else None


def _joined_box(tail: str, at: int) -> tuple[int, str] | None:
    """Start and content of the box that a comma, "and" or "or" joins to the one at `at`."""
    join = _JOIN.search(tail, max(0, at - 40), at)
    end = at if tail[at - 1 : at] == "}" else join.start() if join else 0
    if end == 0 or tail[end - 1] != "}":
        return None
    before = _last_box(tail, end)
    begin = _content(tail, before) if before >= 0 else len(tail)
    if begin >= at or tail[begin] != "{" or _close(tail, begin) != end - 1:
        return None
    return before, tail[begin + 1 : end - 1]


def _close(tail: str, begin: int) -> int:
    r"""The brace that closes the one at `begin`, or -1.

    Escaped braces are text; only where that closes nothing (`\boxed{185\}`) they count too.
    """
    end = tail.find("}", begin)
    if tail.find("{", begin + 1, end) < 0 and tail[end - 1] != "\\":
        return end
    for skip_escaped in (True, False):
        depth = 0
        for brace in re.finditer(r"\\?[{}]" if skip_escaped else r"[{}]", tail[begin:]):
            mark = brace.group()
            depth += {"{": 1, "}": -1}.get(mark, 0)
            if depth == 0 and mark == "}":
                return begin + brace.start()
    return -1


def _last_marker(tail: str, *, whole: bool) -> int:
    """Where the text after the last marker starts, or -1."""
    best = tail.rfind("####")
    best = best + 4 if best >= 0 else -1
    for mark in ("\nA:", "\n**A:", "<answer>"):
        at = tail.rfind(mark)
        best = max(best, at + len(mark)) if at >= 0 else best
    if best < 0 and whole and tail.startswith("A:"):
        best = 2
    return max(best, _last_answer(tail, "nswer", best), _last_answer(tail, "NSWER", best))


def _last_answer(tail: str, word: str, floor: int) -> int:
    """End of the last `answer is` or `answer:` that starts after `floor`, or -1."""
    end = len(tail)
    while True:
        at = tail.rfind(word, max(floor, 1), end)
        if at < 0:
            return -1
        match = _ANSWER.match(tail, at) if tail[at - 1] in "aA" else None
        if match is not None:
            return match.end()
        end = at + len(word) - 1


def _marked(tail: str, start: int) -> str | None:
    """The formula after a marker, or the first line with content, up to the end of its clause."""
    rest = tail[start:]
    span = tidy(rest.partition("\n")[0])
    if span.isalnum():
        return span
    fence = _FENCE.match(tail, start)
    if fence is not None:
        end = tail.find(_FENCES[fence.group(1)], fence.end())
        if "\n" in tail[fence.end() : end]:
            return tidy(tail[fence.end() : end]) or None
    if "\\begin{" in rest:
        rest = _ENVIRONMENT.sub(lambda whole: whole.group().replace("\n", " "), rest)
    for line in rest.split("\n"):
        span = tidy(line)
        if span.isalnum():
            return span
        if span:
            return tidy(span[: _clause_end(span)]) or None
        if line.strip(" \t\r*:$_"):
            return None
    return None


def _clause_end(span: str) -> int:
    """Where the first clause of a line ends. A comma within brackets ends none: (x, pi)."""
    found = [clause.start() for clause in _CLAUSE.finditer(span)]
    outside = (at for at in found if not _opened(span[:at])) if not _opened(span) else iter(found)
    return next(outside, len(span))


def _opened(span: str) -> int:
    """How many more brackets a text opens than it closes."""
    return sum(span.count(mark) for mark in "([{") - sum(span.count(mark) for mark in ")]}")
