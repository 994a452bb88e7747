"""completions.py - one completion from a server that may be busy, broken or gone.

1. 429, 5xx, a broken connection, a timeout and an answer that makes no sense are tried again,
   after waits that grow (or as long as the server's Retry-After says); when the tries are
   spent, the completion comes back as an error with the last cause. A server that fails the
   same request for the third time is told of, once a minute at most.
2. A prompt that leaves no room in the model's context comes back truncated, with no text.
3. Any other status means that no retry will mend it: SamplerError with the server's own words.
4. Jitter comes from content: no global random state.
"""

import asyncio
import logging
import math
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pydantic import Field, NonNegativeInt, PositiveInt

from labeler.model import Completion, Finish, SamplerError
from labeler.params import Params
from labeler.samplers.base import failed, uniform
from labeler.samplers.choices import Choices, as_text, logprob

if TYPE_CHECKING:
    import httpx

log = logging.getLogger(__name__)

_NONSENSE = (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError)
"""What reading an answer of another shape raises."""
_MOST_TOKENS = 1 << 24
"""Of a prompt or a completion: more than any model reads, and what a log can hold."""
_QUIET_TRIES = 2
"""A busy server may well fail a request so often."""
_QUIET_S = 60.0
"""Between two warnings."""
_FINISH = {"stop": Finish.STOP, "length": Finish.LENGTH}
_TOO_LONG = ("maximum context length", "context size", "context_length_exceeded")
"""How servers say that a prompt is longer than the context."""
_TOO_MANY = ("you requested", "max_tokens")
"""How they say that prompt and max_tokens together are; then the prompt may well have room."""
_UNTOLD = (
    "the server tells no log probabilities (top_logprobs) of its completions: a judge that "
    "chooses between two answers needs them"
)


class EndpointSettings(Params):
    """How the server is called: nothing that changes what is sampled."""

    concurrency: PositiveInt = 64
    """Requests in flight."""
    timeout_s: float = Field(default=600.0, gt=0)
    """Seconds to wait for the server to connect, or to send anything."""
    retries: NonNegativeInt = 6
    """Tries after the first one."""
    backoff_s: float = Field(default=0.5, ge=0)
    """Wait before the first retry; each further one waits twice as long (at most a minute)."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """What came of one try: a completion, or why not and how long the server wants us to wait."""

    completion: Completion | None
    cause: str = ""
    wait_s: float | None = None


@dataclass(slots=True)
class Link:
    """The connection that all samplers of a source share."""

    client: "httpx.AsyncClient"
    slots: asyncio.Semaphore
    settings: EndpointSettings
    _warned_at: float = -math.inf

    async def ask(self, body: dict[str, Any], bits: bytes, choices: Choices = ()) -> Completion:
        """One completion; tries again as configured. `bits` give the jitter.

        With choices its text is what the server tells of them (choices.py).
        """
        answer = _Answer(None)
        for tries in range(self.settings.retries + 1):
            async with self.slots:
                answer = await self._try(body, choices)
            if answer.completion is not None:
                return answer.completion
            if tries < self.settings.retries:
                if tries >= _QUIET_TRIES:
                    self._warn(answer.cause)
                wait = min(self.settings.backoff_s * 2.0**tries, 60.0) * (0.5 + uniform(bits[8:]))
                await asyncio.sleep(wait if answer.wait_s is None else answer.wait_s)
        return failed(answer.cause, body.get("seed"))

    def _warn(self, cause: str) -> None:
        if (now := time.monotonic()) - self._warned_at < _QUIET_S:
            return
        self._warned_at = now
        log.warning(
            "%s does not complete (%s): each request is tried again, up to %d times",
            *(self.client.base_url, cause, self.settings.retries),
        )

    async def _try(self, body: dict[str, Any], choices: Choices) -> _Answer:
        import httpx

        try:
            reply = await self.client.post("completions", json=body)
        except (httpx.UnsupportedProtocol, httpx.LocalProtocolError) as e:
            raise SamplerError(f"the endpoint's url cannot work: {e}") from e
        except httpx.RequestError as e:  # the way there and back, or what the body is packed in
            return _Answer(None, f"{type(e).__name__}: {e}")
        status = reply.status_code
        if status == 429 or status >= 500:
            return _Answer(None, f"{status}: {_message(reply)}", _retry_after(reply))
        if status != 200:
            return _refused(reply, body)
        try:
            answer = reply.json()
            made = _completion(answer, body.get("seed"))
            return _Answer(_chosen(made, answer, choices) if choices else made)
        except _NONSENSE as e:
            return _Answer(None, f"the server's answer makes no sense: {e!r}: {reply.text[:200]}")


def _completion(answer: dict[str, Any], seed: int | None) -> Completion:
    """The one choice of an answer."""
    [choice] = answer["choices"]
    usage = answer["usage"]
    return Completion(
        text=_unicode(choice["text"]),
        finish=_FINISH[choice["finish_reason"]],
        n_tokens=_tokens(usage["completion_tokens"]),
        prompt_tokens=_tokens(usage["prompt_tokens"]),
        seed=seed,
    )


def _tokens(told: float) -> int:
    """A count of tokens. ValueError or OverflowError for one that cannot be."""
    if not 0 <= (count := int(told)) <= _MOST_TOKENS:
        raise ValueError(f"{told} tokens")
    return count


def _unicode(text: str) -> str:
    """The text with lone surrogates replaced: JSON can say them, no file can hold them.

    AttributeError where it is no text.
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _chosen(made: Completion, answer: dict[str, Any], choices: Choices) -> Completion:
    """The completion with the log probabilities of the choices that the server tells.

    Where it tells none of any token, it is an error, which no log keeps: another server may.
    """
    told = (answer["choices"][0].get("logprobs") or {}).get("top_logprobs")
    if told is None:
        return failed(_UNTOLD, made.seed, made.prompt_tokens)
    first = told[0] if told else {}
    known = {choice: logprob(first.get(choice)) for choice in choices}
    text = as_text({choice: value for choice, value in known.items() if value is not None})
    return replace(made, text=text, finish=Finish.STOP)


def _refused(reply: "httpx.Response", body: dict[str, Any]) -> _Answer:
    """A prompt that leaves no room is truncated; all else that is refused is for the user."""
    message = _message(reply)
    too_long = any(words in message for words in _TOO_LONG)
    if too_long and not any(words in message for words in _TOO_MANY):
        prompt = body["prompt"]
        tokens = len(prompt) if isinstance(prompt, list) else 0
        return _Answer(Completion("", Finish.LENGTH, 0, tokens, body.get("seed")))
    raise SamplerError(f"{reply.request.url} refuses ({reply.status_code}): {message}")


def _message(reply: "httpx.Response") -> str:
    """The server's own words, as the several dialects put them."""
    try:
        answer = reply.json()
    except (ValueError, RecursionError):
        return reply.text[:500]
    error = answer.get("error", answer) if isinstance(answer, dict) else answer
    if isinstance(error, dict):
        error = error.get("message", error)
    return str(error)[:500]


def _retry_after(reply: "httpx.Response") -> float | None:
    """Seconds that the server wants us to wait; dates are not heeded."""
    try:
        wait = float(reply.headers["retry-after"])
    except (KeyError, ValueError):
        return None
    return None if math.isnan(wait) else min(max(wait, 0.0), 300.0)
