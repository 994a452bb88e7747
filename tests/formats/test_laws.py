"""Laws of every format: what it carries comes back, and nothing else is let in."""

from collections.abc import Callable, Mapping

import pytest
from hypothesis import given, settings

from labeler.formats import (
    FORMATS,
    BadRowError,
    Format,
    MathShepherd,
    MmPrm,
    OpenRlhf,
    Prm800k,
    ProcessBench,
    Qwen,
    Record,
    RlhFlow,
    Scan,
    Trl,
)
from labeler.formats.numbered import bare
from tests.formats.drawn import PLAIN, records

WRITTEN = [name for name in FORMATS if name not in ("math-aps", "orm")]


def numbered(record: Record) -> tuple[str, ...]:
    return tuple(bare(step, k) for k, step in enumerate(record.steps, 1))


def trl(r: Record) -> Record:
    return Record(
        r.question, r.steps, first_error=r.first_error, hard=r.hard, soft=r.soft, extra=r.extra
    )


def openrlhf(r: Record) -> Record:
    return Record(
        r.question,
        numbered(r),
        first_error=r.first_error,
        hard=r.hard,
        soft=r.soft,
        extra=r.extra,
    )


def math_shepherd(r: Record) -> Record:
    *others, last = numbered(r)
    if r.answer is not None and "The answer is: " not in r.steps[-1]:
        last = f"{last} The answer is: {r.answer}"
    _, said, answer = last.rpartition("The answer is: ")
    task = {"MATH": "MATH"}.get(r.source, "GSM8K")
    return Record(
        r.question,
        (*others, last),
        answer=answer if said else None,
        first_error=r.first_error,
        hard=r.hard,
        source=task,
        extra=r.extra,
    )


def prm800k(r: Record) -> Record:
    about = dict.fromkeys(("labeler", "timestamp", "generation"))
    about |= {"is_quality_control_question": False, "is_initial_screening_question": False}
    assert r.hard is not None
    ratings = tuple(1 if good else -1 for good in r.hard)
    return Record(
        r.question,
        r.steps,
        gold=r.gold,
        answer=r.answer,
        first_error=r.first_error,
        hard=r.hard,
        extra={**about, **r.extra, "ratings": ratings},
    )


def hard_alone(r: Record) -> Record:
    return Record(r.question, r.steps, first_error=r.first_error, hard=r.hard, extra=r.extra)


def scan(r: Record) -> Record:
    return Record(r.question, r.steps, soft=r.soft, extra=r.extra)


def processbench(r: Record) -> Record:
    return Record(
        r.question,
        r.steps,
        id=r.id,
        is_correct=r.is_correct,
        first_error=r.first_error,
        generator=r.generator,
        extra=r.extra,
    )


CARRIED: Mapping[str, Callable[[Record], Record]] = {
    "trl": trl,
    "openrlhf": openrlhf,
    "math-shepherd": math_shepherd,
    "prm800k": prm800k,
    "rlhflow": hard_alone,
    "qwen": hard_alone,
    "scan": scan,
    "processbench": processbench,
    "mm-prm": scan,
}
OPTIONS = [
    *(FORMATS[name] for name in WRITTEN),
    Trl(separator="\n\n"),
    OpenRlhf(placeholder="<s>", good="yes", bad="no", input_column="text", label_column="signs"),
    OpenRlhf(placeholder="++"),
    *(OpenRlhf(placeholder=tag) for tag in ("\n", " ", "1:", "Step", "Step 2:")),
    MathShepherd(tag="+"),
    MmPrm(tag="\n"),
    Qwen(tag="<s>"),
    Prm800k(zero="bad"),
]


@pytest.mark.parametrize("format_", OPTIONS, ids=repr)
@settings(max_examples=50)
@given(record=records())
def test_what_a_format_carries_comes_back_or_is_refused(format_: Format, record: Record) -> None:
    try:
        row = format_.write(record)
    except BadRowError:
        return
    [found] = format_.read(row)
    assert found == CARRIED[format_.name](record)
    assert format_.write(found) == row


@pytest.mark.parametrize("name", WRITTEN)
@given(record=records(texts=PLAIN))
def test_a_plain_record_always_comes_back(name: str, record: Record) -> None:
    assert FORMATS[name].read(FORMATS[name].write(record)) == [CARRIED[name](record)]


SOFT = Record("q", ("a", "b"), is_correct=False, soft=(0.9, 0.25))


@pytest.mark.parametrize(
    "name", [n for n in WRITTEN if n not in ("scan", "processbench", "mm-prm")]
)
def test_soft_labels_alone_never_go_where_they_are_dropped(name: str) -> None:
    assert not FORMATS[name].carries_soft
    with pytest.raises(BadRowError, match="soft labels alone"):
        FORMATS[name].write(SOFT)


@pytest.mark.parametrize("format_", [Trl(), OpenRlhf(), Qwen()], ids=repr)
def test_soft_labels_in_the_place_of_hard_ones_are_not_rounded(format_: Format) -> None:
    hard = Record("q", ("a", "b"), hard=(True, True))
    row = format_.write(hard)
    name = "label" if "label" in row else "labels"
    with pytest.raises(BadRowError, match=r"labels?\[0\]"):
        format_.read({**row, name: [0.9, 0.25]})


@pytest.mark.parametrize(
    ("format_", "record", "field"),
    [
        (Trl(), Record("q", ("a\nb",), hard=(True,)), "steps[0]"),
        (OpenRlhf(), Record("q", ("a", "the ки"), hard=(True, True)), "steps[1]"),
        (OpenRlhf(), Record("q ки", ("a",), hard=(True,)), "question"),
        (MathShepherd(), Record("q Step 1: b", ("a",), hard=(True,)), "question"),
        (MathShepherd(), Record("q", ("a",), answer="ки", hard=(True,)), "steps[0]"),
        (Qwen(), Record("q", ("a<extra_0>",), hard=(True,)), "steps[0]"),
        (Scan(), Record("q", ("a\n\nb",), soft=(1.0,)), "steps[0]"),
        (Scan(), Record("q", ("a\n",), soft=(1.0,)), "steps[0]"),
        (Scan(), Record("q\n\nr", ("a",), soft=(1.0,)), "question"),
        (Scan(), Record("q", ("a",), hard=(True,)), "scores"),
        (MmPrm(), Record("q\nProcess: p", ("a",), soft=(1.0,)), "question"),
        (MmPrm(), Record("q", ("a<prm>",), soft=(1.0,)), "steps[0]"),
        (Scan(), Record("q", ("a", "b"), soft=(1.0, None)), "scores"),
        (Trl(), Record("q", (), hard=()), "steps"),
        (Trl(), Record("q", ("a", "b"), hard=(True,)), "labels"),
        (Trl(), Record("q", ("a", "b"), hard=(True, None)), "labels[1]"),
        (Trl(), Record("q", ("a",), hard=(True,), extra={"prompt": ""}), "prompt"),
        (RlhFlow(), Record("q", ("a",)), "conversations"),
        (Prm800k(), Record("q", ("a",), hard=(None,)), "label"),
        (ProcessBench(), Record("q", ("a",), is_correct=True), "label"),
        (ProcessBench(), Record("q", ("a",), is_correct=True, first_error=2), "label"),
        (ProcessBench(), Record("q", ("a",), first_error=0), "final_answer_correct"),
    ],
)
def test_a_record_that_does_not_fit_names_field_and_fix(
    format_: Format, record: Record, field: str
) -> None:
    with pytest.raises(BadRowError) as caught:
        format_.write(record)
    assert caught.value.field_name == field
    assert caught.value.fix.endswith(".")
