"""The endpoint sampler against a real HTTP server that misbehaves as told."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from labeler.model import Finish, LabelerError, Prefix, Sampler, SamplerError
from labeler.prompts import PromptConfig
from labeler.samplers import EndpointConfig, Sampling
from labeler.samplers.completions import EndpointSettings
from tests.samplers.completion_server import CompletionServer, Reply, serving
from tests.tiny_model import write_tokenizer

PREFIX = Prefix("What is 1 + 1? {x}", "Step 1.\n\n", 1)
RAW = PromptConfig(kind="raw", raw="Q: {question}\nA: ")


@asynccontextmanager
async def endpoint(
    server: CompletionServer, retries: int = 2, prompt: PromptConfig = RAW, **fields: object
) -> AsyncIterator[Sampler]:
    settings = EndpointSettings(retries=retries, backoff_s=0.001, concurrency=4)
    config = EndpointConfig(url=server.url, model="m", engine=settings, **fields)
    async with config.open(prompt, 1) as source:
        yield source.sampler()


@pytest.mark.parametrize(
    "trouble",
    [
        Reply(429, "busy", {"retry-after": "0"}),
        Reply(429, "busy", {"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}),
        Reply(500, '{"error": {"message": "oops"}}'),
        Reply(503, "<html>"),
        Reply(200, "not json"),
        Reply(200, '{"choices": []}'),
        Reply(200, '{"choices": [{"text": "x", "finish_reason": "abort"}], "usage": {}}'),
        Reply(200, "[1, 2]"),
        Reply(200, "[" * 100_000),
        Reply(500, "[" * 100_000),
        Reply(200, "{}", {"content-encoding": "gzip"}),
        Reply(429, "busy", {"retry-after": "nan"}),
        *(
            Reply(
                200,
                f'{{"choices": [{{"text": "x", "finish_reason": "stop"}}], "usage": '
                f'{{"completion_tokens": {n}, "prompt_tokens": {m}}}}}',
            )
            for n, m in [("Infinity", 1), (10**20, 1), (1, 3_000_000_000), (-4, 1), ("NaN", 1)]
        ),
        Reply(0),
    ],
    ids=lambda r: f"{r.status}-{r.body[:12]}-{len(r.headers)}",
)
async def test_trouble_is_tried_again(trouble: Reply) -> None:
    async with serving(script=[trouble, trouble]) as server, endpoint(server) as sampler:
        [completion] = await sampler.complete(PREFIX, [0])
    assert completion.finish is Finish.STOP
    assert len(server.bodies) == 3
    assert server.bodies[0] == server.bodies[2]


async def test_spent_retries_are_an_error_with_the_last_cause() -> None:
    script = [Reply(500, "first"), Reply(500, "second"), Reply(503, "gone")]
    async with serving(script=script) as server, endpoint(server) as sampler:
        [completion] = await sampler.complete(PREFIX, [0])
    assert (completion.finish, completion.text) == (Finish.ERROR, "503: gone")
    assert len(server.bodies) == 3


async def test_a_server_that_stays_away_is_told_of_once(caplog: pytest.LogCaptureFixture) -> None:
    busy = [Reply(429, "busy")] * 2
    async with serving(script=busy) as server, endpoint(server, retries=4) as sampler:
        await sampler.complete(PREFIX, [0])
        assert not caplog.records
        server.script = [Reply(503, "gone")] * 12
        completions = await sampler.complete(PREFIX, range(4))
    assert {c.finish for c in completions} == {Finish.STOP}
    [warning] = [record.getMessage() for record in caplog.records]
    assert f"{server.url}/ does not complete (503: gone)" in warning
    assert "up to 4 times" in warning


async def test_a_server_that_is_not_there_is_an_error() -> None:
    async with serving() as server:
        pass
    async with endpoint(server, retries=1) as sampler:
        [completion] = await sampler.complete(PREFIX, [0])
    assert completion.finish is Finish.ERROR
    assert "Connect" in completion.text


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('{"error": {"message": "no model m2", "code": 404}}', "no model m2"),
        ('{"object": "error", "message": "bad key"}', "bad key"),
        ('{"detail": [{"loc": ["body", "seed"]}]}', "seed"),
        ("plain words", "plain words"),
    ],
)
async def test_a_refusal_carries_the_servers_words_and_is_not_repeated(
    body: str, words: str
) -> None:
    async with serving(script=[Reply(400, body)] * 3) as server, endpoint(server) as sampler:
        with pytest.raises(SamplerError, match=words):
            await sampler.complete(PREFIX, [0])
    assert len(server.bodies) == 1


async def test_a_prompt_without_room_is_truncated() -> None:
    message = "This model's maximum context length is 8 tokens. However, your prompt contains 9"
    script = [Reply(400, json.dumps({"error": {"message": message}}))]
    async with serving(script=script) as server, endpoint(server) as sampler:
        [completion] = await sampler.complete(PREFIX, [0])
    assert (completion.finish, completion.text) == (Finish.LENGTH, "")


async def test_a_budget_that_does_not_fit_is_for_the_user() -> None:
    message = "maximum context length is 2048 tokens. However, you requested 2100 tokens"
    script = [Reply(400, json.dumps({"error": {"message": message}}))]
    async with serving(script=script) as server, endpoint(server) as sampler:
        with pytest.raises(SamplerError, match="you requested"):
            await sampler.complete(PREFIX, [0])


async def test_raw_prompts_are_sent_as_they_are() -> None:
    sampling = Sampling(top_k=5, max_tokens=9, stop=("Q:",))
    async with serving() as server:
        extra = {"add_special_tokens": False}
        async with endpoint(server, sampling=sampling, extra_body=extra) as sampler:
            await sampler.complete(PREFIX, [0])
    [body] = server.bodies
    seed = body.pop("seed")
    assert isinstance(seed, int)
    assert body == {
        "model": "m",
        "prompt": "Q: What is 1 + 1? {x}\nA: Step 1.\n\n",
        "max_tokens": 9,
        "temperature": 0.7,
        "top_p": 1.0,
        "top_k": 5,
        "stop": ["Q:"],
        "add_special_tokens": False,
    }


async def test_chat_prompts_are_sent_as_ids_and_cut_to_their_room(tmp_path: Path) -> None:
    fields = {"tokenizer": str(write_tokenizer(tmp_path)), "prompt": PromptConfig()}
    async with serving() as server:
        async with endpoint(server, **fields) as sampler:
            [completion] = await sampler.complete(PREFIX, [0])
        ids = server.bodies[0]["prompt"]
        assert completion.prompt_tokens == len(ids)
        async with endpoint(server, max_model_len=len(ids) + 2, **fields) as sampler:
            [completion] = await sampler.complete(PREFIX, [0])
        assert server.bodies[1]["max_tokens"] == 2
        async with endpoint(server, max_model_len=len(ids), **fields) as sampler:
            [completion] = await sampler.complete(PREFIX, [0])
    assert (completion.finish, completion.n_tokens) == (Finish.LENGTH, 0)
    assert len(server.bodies) == 2


async def test_a_chat_prompt_needs_a_tokenizer() -> None:
    async with serving() as server:
        with pytest.raises(LabelerError, match="tokenizer"):
            async with endpoint(server, prompt=PromptConfig()):
                pass


async def test_the_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving() as server:
        with pytest.raises(LabelerError, match="A_KEY_OF_MINE is not set"):
            async with endpoint(server, api_key_env="A_KEY_OF_MINE"):
                pass
        monkeypatch.setenv("A_KEY_OF_MINE", "sesame")
        async with endpoint(server, api_key_env="A_KEY_OF_MINE") as sampler:
            await sampler.complete(PREFIX, [0])
            name = sampler.completer
        async with endpoint(server) as sampler:
            assert sampler.completer == name
    assert server.headers[0]["authorization"] == "bearer sesame"


async def test_no_more_requests_than_allowed_are_in_flight() -> None:
    async with serving(delay_s=0.01) as server, endpoint(server) as sampler:
        await sampler.complete(PREFIX, range(20))
    assert server.busiest == 4
    assert len(server.bodies) == 20


async def test_text_that_is_not_unicode_is_an_error_of_its_own() -> None:
    async with serving() as server, endpoint(server) as sampler:
        [completion] = await sampler.complete(Prefix("\ud800", "", 0), [0])
    assert completion.finish is Finish.ERROR
    assert not server.bodies


@pytest.mark.parametrize(
    ("logprobs", "told"),
    [
        ({"top_logprobs": [{"Yes": -0.5, "No": -1.5, "Yeah": -3}]}, {"Yes": -0.5, "No": -1.5}),
        ({"top_logprobs": [{"Yes": -0.1}]}, {"Yes": -0.1}),
        ({"top_logprobs": [{"Yes": None, "No": -0.1}]}, {"No": -0.1}),
        ({"top_logprobs": []}, {}),
        ({"top_logprobs": None}, None),
        ({"content": [{"token": "Yes", "logprob": -0.1, "top_logprobs": []}]}, None),
        (None, None),
    ],
)
async def test_choices_are_what_the_server_tells_of_them(
    logprobs: dict | None, told: dict[str, float] | None
) -> None:
    """None: it tells nothing of any token, so that nothing is to be kept."""
    choice = {"text": "Yes", "finish_reason": "length", "logprobs": logprobs}
    usage = {"prompt_tokens": 5, "completion_tokens": 1}
    script = [Reply(200, json.dumps({"choices": [choice], "usage": usage}))]
    settings = EndpointSettings(retries=0)
    async with serving(script=script) as server:
        config = EndpointConfig(url=server.url, model="m", engine=settings)
        async with config.open(RAW, 1) as source:
            [completion] = await source.sampler(choices=("Yes", "No")).complete(PREFIX, [0])
    if told is None:
        assert completion.finish is Finish.ERROR
        assert "no log probabilities" in completion.text
    else:
        assert (json.loads(completion.text), completion.finish) == (told, Finish.STOP)
    assert (server.bodies[0]["max_tokens"], server.bodies[0]["logprobs"]) == (1, 5)


async def test_half_a_surrogate_pair_is_replaced_and_a_whole_one_is_kept() -> None:
    choice = {"text": "a \ud800 b \U0001f600 \udc00", "finish_reason": "stop"}
    usage = {"prompt_tokens": 5, "completion_tokens": 1}
    script = [Reply(200, json.dumps({"choices": [choice], "usage": usage}))]
    async with serving(script=script) as server, endpoint(server) as sampler:
        [completion] = await sampler.complete(PREFIX, [0])
    assert completion.text == "a \ufffd b \U0001f600 \ufffd"
