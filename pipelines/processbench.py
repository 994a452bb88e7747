"""Rollouts beside people's labels: ProcessBench through any OpenAI-compatible server, audited.

    python pipelines/processbench.py DATA URL MODEL TOKENIZER [PROBLEMS]

DATA is a folder with processbench_gsm8k.json and gsm8k_test.jsonl (whose gold answers ProcessBench
lacks), or with processbench_math.json and math500.jsonl; URL, MODEL and TOKENIZER are the server's
(see configs/endpoint.yaml), PROBLEMS how many problems of each to take (20).
Cost: 8 rollouts of each prefix, by the server. With a model that solves next to nothing (SmolLM2)
the numbers say nothing about labels: every prefix looks dead. What they show then is that nothing
is lost on the way.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

import labeler
from labeler.apps.audit import How, Outputs, audit
from labeler.apps.compare import Reading, compare

data, url, model, tokenizer = Path(sys.argv[1]), *sys.argv[2:5]
most = int(sys.argv[5]) if len(sys.argv) > 5 else 20
folder = Path("runs/processbench")
folder.mkdir(parents=True, exist_ok=True)


def golds(file: Path) -> Iterator[tuple[str, str]]:
    """Questions with their gold answers."""
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        gold = row["answer"].rpartition("####")[2].strip()
        yield row.get("problem", row.get("question")).strip(), gold


# 1. Give each row the gold answer that its problem has elsewhere; keep people's labels as truth.
for name, source in (("gsm8k", "gsm8k_test.jsonl"), ("math", "math500.jsonl")):
    known = dict(golds(data / source))
    rows = json.loads((data / f"processbench_{name}.json").read_text(encoding="utf-8"))
    rows = [row for row in rows if row["problem"].strip() in known][:most]
    given = [
        {"id": row["id"], "question": row["problem"], "answer": known[row["problem"].strip()],
         "solutions": [{"steps": row["steps"], "generator": row["generator"]}]}
        for row in rows
    ]  # fmt: skip
    true = [
        {"problem_id": row["id"], "steps": row["steps"], "first_error": row["label"] + 1}
        for row in rows
    ]
    for file, held in ((f"{name}.jsonl", given), (f"{name}_truth.jsonl", true)):
        (folder / file).write_text("".join(json.dumps(row) + "\n" for row in held))

    # 2. Roll every prefix out, audit the labels against people's, and compare first errors.
    config = labeler.load(
        "configs/endpoint.yaml",
        [
            f"name=processbench_{name}", f"problems={{path: {folder / name}.jsonl}}",
            "generator=null", f"completer.url={url}", f"completer.model={model}",
            f"completer.tokenizer={tokenizer}", "policy={kind: exhaustive, n: 8}",
            "completer.sampling={temperature: 0.7, max_tokens: 256}",
        ],
    )  # fmt: skip
    labeler.run(config)
    screen = Console(width=100)
    audit(config.root, None, How(truth=folder / f"{name}_truth.jsonl"), Outputs(), screen)
    compare(config.root, Reading(data / f"processbench_{name}.json", None, None, None), screen)
