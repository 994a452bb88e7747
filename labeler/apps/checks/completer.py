"""completer.py - is the model there, does it read prefixes as they are, does it complete them?

The tokenizer is tried on prefixes of the input itself. The completer is opened in a process of
its own (trial.py).
"""

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from labeler.apps.checks import Check, fail, guarded, ok, warn
from labeler.apps.checks.trial import attempt
from labeler.config import RunConfig
from labeler.model import Prefix, Task
from labeler.prompts import Renderer, check_round_trip, load_tokenizer
from labeler.samplers import EndpointConfig, VllmConfig
from labeler.samplers.choices import ids_of
from labeler.samplers.model_files import model_directory

TRIP_SOLUTIONS = 50
TRIAL_PREFIXES = 8
SHOWN = 5
_REQUEST_S = 30.0


def completer_checks(config: RunConfig, tasks: Sequence[Task], role: str) -> Iterator[Check]:
    """Model, tokenizer, server and a few completions of `config.completer`.

    `role` names it in the output. Where the model is not there, nothing further is tried.
    """
    completer = config.completer
    if isinstance(completer, VllmConfig):
        place = _model(completer, role)
        yield place
        if place.mend:
            return
    if isinstance(completer, EndpointConfig):
        reached = list(guarded(f"{role}: server", lambda: [_server(completer, role)]))
        yield from reached
        if any(check.mend for check in reached):
            return
    tokenizer = _tokenizer_of(config)
    if tokenizer is not None:
        yield from guarded(
            f"{role}: tokenizer", lambda: [round_trip(config, tokenizer, tasks, role)]
        )
    yield from guarded(f"{role}: completions", lambda: [_trial(config, tasks, role)])


def _model(completer: VllmConfig, role: str) -> Check:
    """A directory, or a name on a hub whose files are here already."""
    name = f"{role}: model"
    path = Path(completer.model).expanduser()
    if path.is_dir():
        if not (path / "config.json").exists():
            mend = "give a directory in Hugging Face format (config.json, tokenizer, safetensors)"
            return fail(name, f"{path} holds no config.json", mend)
        return ok(name, f"{path}")
    if path.is_absolute() or completer.model.startswith(".") or completer.model.count("/") > 1:
        return fail(name, f"there is no directory {completer.model}", "set `completer.model`")
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        held = snapshot_download(
            completer.model, revision=completer.revision, local_files_only=True
        )
    except LocalEntryNotFoundError:
        detail = f"{completer.model} is no directory, and no copy from a hub is here"
        mend = f"fetch it first (hf download {completer.model}), or set `model` to a directory"
        offline = os.environ.get("HF_HUB_OFFLINE", "") not in ("", "0")
        return (fail if offline else warn)(name, detail, mend)
    return ok(name, f"{completer.model}, in {held}")


def _server(completer: EndpointConfig, role: str) -> Check:
    """GET /v1/models, and whether the model is among them. A failed request raises."""
    import httpx

    key = os.environ.get(completer.api_key_env or "")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    url = f"{completer.url.rstrip('/')}/models"
    name = f"{role}: server"
    try:
        reply = httpx.get(url, headers=headers, timeout=_REQUEST_S)
    except httpx.HTTPError as error:
        return fail(name, f"{url}: {error}", "start the server, or mend `completer.url`")
    if reply.status_code in (401, 403):
        mend = "name the variable that holds the key in completer.api_key_env, and set it"
        return fail(name, f"{url} refuses the key ({reply.status_code})", mend)
    if reply.status_code != 200:
        mend = "check `completer.url`: it ends in /v1 on most servers"
        return fail(name, f"{url} says {reply.status_code}", mend)
    names = [str(model["id"]) for model in reply.json()["data"]]
    if completer.model not in names:
        shown = ", ".join(names[:SHOWN]) or "nothing"
        return fail(name, f"serves {shown}, not {completer.model}", "mend `completer.model`")
    return ok(name, f"{completer.url} serves {completer.model}")


def _tokenizer_of(config: RunConfig) -> str | None:
    completer = config.completer
    if isinstance(completer, VllmConfig):
        return completer.tokenizer or completer.model
    return completer.tokenizer if isinstance(completer, EndpointConfig) else None


def round_trip(config: RunConfig, tokenizer: str, tasks: Sequence[Task], role: str) -> Check:
    """What is wrong with how prefixes of the input are rendered."""
    name = f"{role}: tokenizer"
    renderer = Renderer(load_tokenizer(model_directory(tokenizer)), config.prompt)
    prefixes = list(prefixes_of(tasks, TRIP_SOLUTIONS))
    found: dict[str, int] = {}
    for prefix in prefixes:
        for problem in check_round_trip(renderer, prefix):
            found[problem] = found.get(problem, 0) + 1
    if not prefixes:
        return warn(name, "no problem to try it on", "mend the input first")
    if found:
        worst = sorted(found.items(), key=lambda item: -item[1])[:SHOWN]
        detail = "; ".join(f"{problem} ({n} times)" for problem, n in worst)
        mend = "check `prompt` (chat or raw) and the model's chat template"
        return fail(name, f"{len(prefixes)} prefixes tried: {detail}", mend)
    return ok(name, f"{len(prefixes)} prefixes read back as they are, BOS once")


def choices(config: RunConfig, wanted: Sequence[str], role: str) -> Check:
    """Whether the answers that a judge chooses between are tokens. LabelerError where not."""
    tokenizer = _tokenizer_of(config)
    name, told = f"{role}: answers", " and ".join(map(repr, wanted))
    if tokenizer is None:
        return ok(name, f"{told}; without a tokenizer here only the server knows its tokens")
    ids_of(load_tokenizer(model_directory(tokenizer)), tuple(wanted))
    return ok(name, f"{told} are one token each")


def prefixes_of(tasks: Sequence[Task], solutions: int) -> Iterator[Prefix]:
    """Distinct prefixes 0, 1, the middle one and K-1 of the first solutions (or bare questions)."""
    seen: set[str] = set()
    for task in islice(tasks, solutions):
        chosen = [Prefix(task.problem.question, "", 0, task.template)]
        for solution in task.solutions[:1]:
            last = len(solution.steps) - 1
            chosen += [task.prefix(solution, k) for k in sorted({1, last // 2, last}) if k <= last]
        for prefix in chosen:
            if prefix.key not in seen:
                seen.add(prefix.key)
                yield prefix


def _trial(config: RunConfig, tasks: Sequence[Task], role: str) -> Check:
    """A few completions, with their speed."""
    name = f"{role}: completions"
    prefixes = list(islice(prefixes_of(tasks, TRIAL_PREFIXES), TRIAL_PREFIXES))
    if not prefixes:
        return warn(name, "no problem to try it on", "mend the input first")
    result = attempt(config, prefixes)
    if result.error:
        return fail(name, result.error, "see the message; `labeler run` would end with it")
    if result.failed == result.completions:
        return fail(name, result.example, "see the message; every rollout would fail with it")
    detail = (
        f"{result.completions} in {result.seconds:.1f} s after {result.start_s:.0f} s of start-up"
    )
    speed = f"{result.tokens / max(result.seconds, 1e-9):,.0f} tokens/s with few at once"
    if result.failed:
        some = f"{result.failed} of {result.completions} failed: {result.example}"
        return warn(name, some, "failed rollouts are tried again; see the message")
    return ok(name, f"{detail}, {speed}; one reads: {result.example}")
