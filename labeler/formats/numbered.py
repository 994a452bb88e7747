"""numbered.py - a question and its steps as one text, numbered, with a tag after each step.

What is 2+2? Step 1: 2+2 = 5. ки
Step 2: So 5. The answer is: 5 ки

The question, one space, `Step 1:`; steps are joined by a newline and numbered from 1, so that text
is cut again where it was joined. A number that a step brings along (`Step 2: ...` as the second
step) is not written twice: the number is the format's, and a record read from it has none.
"""

import re

from labeler.formats import fields
from labeler.formats.record import BadRowError, Record


def bare(step: str, k: int) -> str:
    """The text of step k (1-based) without its number, however often it has it."""
    return re.sub(rf"\A(?:Step {k}:(?: |\Z))+", "", step)


def joined(record: Record, tag: str) -> str:
    """The text. Raises BadRowError where it could not be cut again."""
    fields.wanted(record)
    texts = [bare(step, k) for k, step in enumerate(record.steps, 1)]
    fields.without(tag, Record(f"{record.question} ", tuple(f" {text} " for text in texts)))
    if re.search(r"\sStep 1:", record.question) or record.question.startswith("Step 1:"):
        raise BadRowError(
            "question",
            "it holds 'Step 1:', where the solution is taken to begin",
            "Reword it, or leave the problem out.",
        )
    steps = (f"Step {k}: {text} {tag}" for k, text in enumerate(texts, 1))
    whole = f"{record.question} " + "\n".join(steps)
    if not _is_cut_again(whole, tag, (record.question, tuple(texts))):
        raise BadRowError(
            "tag",
            f"{tag!r} cannot be told from the numbers and line breaks between steps",
            "Choose another placeholder.",
        )
    return whole


def _is_cut_again(whole: str, tag: str, parts: tuple[str, tuple[str, ...]]) -> bool:
    try:
        return cut("tag", whole, tag) == parts
    except BadRowError:
        return False


def cut(name: str, text: str, tag: str) -> tuple[str, tuple[str, ...]]:
    """Question and steps of a column's text. Raises BadRowError where it is not such a text."""
    begin = re.search(r"(?:\s|^)(?=Step 1:)", text)
    if begin is None:
        raise BadRowError(
            name,
            "no 'Step 1:' says where the question ends",
            "Number the steps from 'Step 1:', after the question and a space.",
        )
    question, solution = text[: begin.start()], text[begin.end() :]
    if tag in question:
        raise BadRowError(name, f"{tag!r} stands in the question", "Take it out, and its label.")
    *steps, end = solution.split(tag)
    if end.strip() or not steps:
        raise BadRowError(name, f"it does not end with {tag!r}", "Put one after each step.")
    return question, tuple(_step(name, step, k) for k, step in enumerate(steps, 1))


def _step(name: str, text: str, k: int) -> str:
    """One step as it stands before its tag, without its number and the white space around."""
    found = re.fullmatch(rf"\n?Step {k}: ?(.*?) ?", text, re.DOTALL)
    if found is None:
        raise BadRowError(
            name,
            f"step {k} begins with {text[:20]!r}",
            f"Begin it with 'Step {k}:', on a line of its own.",
        )
    return found[1]
