r"""Coverage-guided fuzzing of grading's pure half: extract, read, parse, compare a value to itself.

`make fuzz` runs it for FUZZ_S seconds. What has to hold for any text:
1. nothing raises but parse, which says Unreadable or TooBig;
2. a span has at most WINDOW characters, and a tidied one stays as it is;
3. a value is not different from itself;
4. an input costs at most LIMIT_S of processor time, under instrumentation.
The first input of every kind of fault is written to the findings folder and the run goes on; the
exit status is 1 if there is any. A hang that no bytecode interrupts ends the run.

    .venv-fuzz/bin/python tests/fuzz/fuzz_grading.py CORPUS [libFuzzer's options]
"""

import subprocess
import sys
import tomllib
import traceback
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from time import process_time

ROOT = Path(__file__).parent.parent.parent
LIMIT_S = 2.0
REPEATED = 6
"""Inputs of up to so many characters are also tried as long repetitions of themselves."""
GOLDS = (
    "\\frac{1}{2}",
    "x^2+1",
    "\\sqrt{2}",
    "(1,\\pi)",
    "\\{1,2\\}",
    "y=2x+1",
    "[0,1)",
    "25\\%",
    "5\\text{ cm}",
)
WORDS = Path(__file__).with_name("words.txt")
"""Pieces of answers that libFuzzer puts into its inputs, one a line."""


def judge(text: str) -> None:
    """Walk one text through the pure half; an AssertionError is a broken promise."""
    from labeler.grading.compare import Comparison
    from labeler.grading.conventions import Conventions
    from labeler.grading.extract import WINDOW, cut_short, extract, tidy
    from labeler.grading.normalise import normalise
    from labeler.grading.parser import parse
    from labeler.grading.settle import settle
    from labeler.grading.tokens import TooBig, Unreadable
    from labeler.grading.values import read
    from labeler.model import Reason

    comparison = Comparison(Conventions(), settle)
    cut_short(text)
    span = extract(text)
    for found in (span, tidy(text)):
        if found is None:
            continue
        assert found is not span or 0 < len(found) <= WINDOW, "the span's length"
        value = read(found)
        assert comparison.rule(value, value).reason is not Reason.WRONG, "a value is not itself"
        comparison.rule(read(GOLDS[len(text) % len(GOLDS)]), value)
        comparison.rule(value, read(f"{found} + x"))
        try:
            parse(normalise(found[:WINDOW]))
        except (Unreadable, TooBig):
            continue


def seed(corpus: Path) -> Path:
    """Put the cases' texts and the words into a corpus; the path of the dictionary beside it."""
    corpus.mkdir(parents=True, exist_ok=True)
    cases = tomllib.loads((ROOT / "tests/grading/cases.toml").read_text())["case"]
    words = WORDS.read_text().splitlines()
    texts = [text for case in cases for text in (case["text"], case["gold"])]
    texts += [f"\\boxed{{{case['gold']}}}" for case in cases]
    for text in (*texts, *words):
        data = text.encode("utf-8", "surrogateescape")
        (corpus / blake2b(data, digest_size=8).hexdigest()).write_bytes(data)
    dictionary = corpus.parent / "dictionary"
    lines = ('"' + "".join(f"\\x{byte:02x}" for byte in word.encode()) + '"' for word in words)
    dictionary.write_text("\n".join(lines))
    return dictionary


def watched(findings: Path) -> Callable[[bytes], None]:
    """The function that libFuzzer calls: each kind of fault is written down once."""
    known: set[str] = set()

    def note(kind: str, data: bytes, story: str) -> None:
        if kind not in known:
            known.add(kind)
            name = blake2b(kind.encode(), digest_size=4).hexdigest()
            (findings / f"fault-{name}").write_bytes(data)
            (findings / f"story-{name}").write_text(story, errors="backslashreplace")
            print(f"FAULT {kind}", flush=True)

    def one(data: bytes) -> None:
        start = process_time()
        try:
            text = data.decode("utf-8", "surrogateescape")
            judge(text)
            if 0 < len(text) <= REPEATED:
                judge(text * (4000 // len(text)))
        except Exception as error:  # noqa: BLE001 - any error is what is looked for
            frame = traceback.extract_tb(error.__traceback__)[-1]
            kind = f"{type(error).__name__} {Path(frame.filename).name} {frame.name} {frame.line}"
            note(kind, data, traceback.format_exc())
        spent = process_time() - start
        if spent > LIMIT_S:
            note("slow", data, f"{spent:.1f} s for {len(data)} bytes")

    return one


def fuzz(arguments: list[str], findings: Path) -> None:
    """Never returns: libFuzzer ends the process."""
    import atheris

    sys.path.insert(0, str(ROOT))
    with atheris.instrument_imports(include=["labeler.grading"]):
        judge("\\boxed{\\frac{1}{2}}")
    atheris.Setup([sys.argv[0], *arguments], watched(findings))
    atheris.Fuzz()


def main(corpus: Path, options: list[str]) -> int:
    """Run the fuzzer in a process of its own and report."""
    findings = corpus.parent / "findings"
    findings.mkdir(parents=True, exist_ok=True)
    for old in findings.iterdir():
        old.unlink()
    limits = ["-max_len=4096", "-len_control=20", "-timeout=60", f"-artifact_prefix={findings}/"]
    command = [sys.executable, __file__, "--child", str(findings), str(corpus)]
    done = subprocess.run(
        [*command, f"-dict={seed(corpus)}", *limits, "-print_final_stats=1", *options], check=False
    )
    faults = sorted(path for path in findings.iterdir() if not path.name.startswith("story"))
    for fault in faults:
        print(f"{fault}: {fault.read_bytes()[:200]!r}")
    return 1 if faults or done.returncode else 0


if __name__ == "__main__":
    if sys.argv[1] == "--child":
        fuzz(sys.argv[3:], Path(sys.argv[2]))
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
