r"""Nothing evaluates model text, in the worker's own function either.

A fresh process loads what a worker loads, replaces everything that turns strings into code or
into sympy objects by functions that record and raise, and judges every case there. Each case
runs in a forked child with kernel limits, because nothing else would stop a bomb.
"""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

CASES = tomllib.loads((Path(__file__).parent / "cases.toml").read_text())["case"]
SHARED = os.environ.get("LABELER_SHARED")

PAYLOADS = [
    "__import__('os').system('touch @')",
    "open('@','w').close()",
    "(lambda: open('@','w'))()",
    r"1\pi+0*len(open('@','w').name)",
    "exec(\"open('@','w')\")",
    "eval(\"open('@','w')\")",
    "[c for c in ().__class__.__base__.__subclasses__()][0] or open('@','w')",
    "x.func(open('@','w'))",
    "S(\"open('@','w')\")",
    "sympify(open('@','w'))",
    "Symbol('x').__class__.__init__.__globals__['__builtins__']['open']('@','w')",
    "f(x) + Function('g')(open('@','w'))",
    "{open('@','w')}",
    "(1, open('@','w'))",
    r"\sqrt{open('@','w')}",
    r"\frac{1}{__import__('os').system('touch @')}",
    r"\text{__import__('os').system('touch @')}",
    r"\operatorname{exec}(open('@','w'))",
    r"\begin{pmatrix} open('@','w') & 1 \end{pmatrix}",
    r"\write18{touch @} \input{|touch @}",
    "x = open('@','w')",
    "x < open('@','w')",
    "1 if open('@','w') else 2",
    "f'{open(\"@\",\"w\")}'",
    "`touch @`", "$(touch @)", "; import os; os.system('touch @')", "@", "/@", "%s%n{0.__class__}",
]  # fmt: skip
GOLDS = ["0", r"\pi", "x^2+1", "x > 2"]

SCRIPT = r"""
import builtins, json, os, resource, signal, sys
from pathlib import Path
from labeler.grading import slow
from labeler.grading.conventions import Conventions
from labeler.grading.extract import extract, tidy

record, cases = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
slow.warm()
import sympy
import sympy.parsing.latex
import sympy.parsing.sympy_parser

# These build classes and modules from text of their own.
OWN = ("collections", "dataclasses", "typing", "enum", "importlib._bootstrap")

def guarded(name, original, *, caller=False):
    def guard(*args, **kwargs):
        text = args[0] if args else None
        if isinstance(text, (str, bytes)):
            home = sys._getframe(1).f_globals.get("__name__", "")
            if not (caller and home in OWN):
                with record.open("a") as lines:
                    lines.write(f"{name} {home}: {text[:200]!r}\n")
                raise RuntimeError(f"{name} met a string")
        return original(*args, **kwargs)
    return guard

def replace(name, original, *, caller=False):
    guard = guarded(name, original, caller=caller)
    for module in list(sys.modules.values()):
        for key, value in list(vars(module).items()) if hasattr(module, "__dict__") else ():
            if value is original:
                setattr(module, key, guard)

parser = sympy.parsing.sympy_parser
sympifying = sys.modules["sympy.core.sympify"]
targets = {"sympify": sympifying.sympify, "_sympify": sympifying._sympify,
           "parse_expr": parser.parse_expr, "eval_expr": parser.eval_expr,
           "parse_latex": sympy.parsing.latex.parse_latex}
try:
    import latex2sympy2_extended, math_verify
    targets["latex2sympy"] = latex2sympy2_extended.latex2sympy
    targets["parse"] = math_verify.parse
except ImportError:
    pass
for name, original in targets.items():
    replace(name, original)
for name in ("eval", "exec", "compile"):
    replace(name, getattr(builtins, name), caller=True)

assert sympy.sympify(1) == 1
for name in ("eval", "exec"):
    try:
        getattr(builtins, name)("1")
    except RuntimeError:
        continue
    raise AssertionError(f"{name} is not guarded")
for trial in (lambda: sympy.sympify("1"), lambda: sympy.S("1"), lambda: sympy.parse_expr("1")):
    try:
        trial()
    except RuntimeError:
        continue
    raise AssertionError("sympy still reads strings")
record.write_text("")

reasons = []
for gold, text in cases:
    span = extract(text)
    if span is None:
        continue
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (3, 3))
        resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        try:
            said = str(slow.judge(tidy(gold), span, Conventions()).reason)
        except BaseException as error:
            said = f"raised {error!r}"
        os.write(into, said.encode())
        os._exit(0)
    os.close(into)
    with open(out, "rb") as answer:
        reasons.append((gold, span, answer.read().decode()))
    os.waitpid(child, 0)
print(json.dumps(reasons))
"""


def judged(folder: Path, cases: list[tuple[str, str]]) -> list[tuple[str, str, str]]:
    """(gold, span, reason) of every case with a span; fails where a string was evaluated."""
    record, listed, marker = folder / "record", folder / "cases.json", folder / "marker"
    marked = [(gold, text.replace("@", str(marker))) for gold, text in cases]
    listed.write_text(json.dumps(marked))
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(record), str(listed)],
        capture_output=True, text=True, check=False, cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert record.read_text().splitlines() == []
    assert not marker.exists()
    assert {path.name for path in folder.iterdir()} == {"record", "cases.json"}
    reasons: list[tuple[str, str, str]] = json.loads(done.stdout.splitlines()[-1])
    assert [row for row in reasons if row[2].startswith("raised")] == []
    return reasons


@pytest.mark.timeout(500)
def test_payloads_are_never_run_and_never_right(tmp_path: Path) -> None:
    ways = [f"\\boxed{{{payload}}}" for payload in PAYLOADS] + [f"#### {p}" for p in PAYLOADS]
    reasons = judged(tmp_path, [(gold, text) for gold in GOLDS for text in ways])
    assert len(reasons) > len(GOLDS) * len(PAYLOADS)
    assert [row for row in reasons if row[2] in ("match", "")] == []


@pytest.mark.timeout(500)
def test_payloads_as_golds(tmp_path: Path) -> None:
    texts = ["\\boxed{0}", "\\boxed{\\pi}", "\\boxed{x^2+1}", "\\boxed{(1, 2)}"]
    judged(tmp_path, [(payload, text) for payload in PAYLOADS for text in texts])


@pytest.mark.timeout(500)
def test_all_cases_without_any_evaluation(tmp_path: Path) -> None:
    reasons = judged(tmp_path, [(case["gold"], case["text"]) for case in CASES])
    assert sum(reason == "match" for *_, reason in reasons) > len(CASES) // 4


@pytest.mark.timeout(500)
@pytest.mark.skipif(SHARED is None, reason="LABELER_SHARED names no folder with the public data")
def test_public_cases_without_any_evaluation(tmp_path: Path) -> None:
    lines = Path(str(SHARED), "cases/answers.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    cases = [(row["gold"], row["pred"].replace("{marker}", "@")) for row in rows]
    reasons = judged(tmp_path, cases)
    assert sum(reason == "match" for *_, reason in reasons) > len(cases) // 4
