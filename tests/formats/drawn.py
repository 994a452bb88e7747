"""Records for tests of formats: plain ones, and ones whose texts hold every format's tags."""

from hypothesis import strategies as st

from labeler.formats import Record

PIECES = [
    " ", "\n", "\n\n", "<prm>", "\nProcess: ", "++", "ки", "к", "<extra_0>", "<extra", "_0>",
    "Step 1:", "Step 1: ", "Step 2: ", "The answer is: ", "+", "-", "5", "x = 2", "ü",
    "$\\frac{1}{2}$", "",
]  # fmt: skip
WILD = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=5).map("".join)
PLAIN = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1).filter(
    lambda text: text.strip() == text and "ки" not in text and "Step" not in text
)
LABEL = st.booleans()
VALUE = st.floats(0, 1)


@st.composite
def records(draw: st.DrawFn, texts: st.SearchStrategy[str] = WILD) -> Record:
    """A record with hard and soft labels that are whole, and whatever else there is."""
    steps = tuple(draw(st.lists(texts, min_size=1, max_size=4)))
    several = {"min_size": len(steps), "max_size": len(steps)}
    hard = tuple(draw(st.lists(LABEL, **several)))
    wrong = [k for k, good in enumerate(hard, 1) if not good]
    return Record(
        question=draw(texts),
        steps=steps,
        id=draw(texts),
        problem_id="p",
        gold=draw(st.none() | texts),
        answer=draw(st.none() | texts),
        is_correct=draw(LABEL),
        first_error=wrong[0] if wrong else 0,
        hard=hard,
        soft=tuple(draw(st.lists(VALUE, **several))),
        source=draw(st.sampled_from(["", "gsm8k_test.jsonl", "MATH"])),
        generator=draw(texts),
        extra=draw(st.sampled_from([{}, {"note": "kept"}])),
    )
