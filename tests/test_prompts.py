"""What a model reads is what the prefix says: one BOS, nothing stripped, no forged control."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from labeler.model import LabelerError, Prefix
from labeler.prompts import (
    PromptConfig,
    Renderer,
    UnrenderableError,
    check_round_trip,
    load_tokenizer,
)
from tests.tiny_model import CHAT_TEMPLATE, SPECIALS, write_tokenizer

CHAT = PromptConfig(system="Think in steps.", user="Solve: {question}\nShow your work.")
RAW = PromptConfig(kind="raw", raw="Q: {question}\nA:")
BOS = 0
Renderers = dict[str, Renderer]

texts = st.one_of(
    st.text(max_size=40),
    st.lists(st.sampled_from([*SPECIALS, " ", "\n\n", "x", "{question}", "é"])).map("".join),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tokenizers")


@pytest.fixture(scope="module", params=[True, False], ids=["adds_bos", "adds_none"])
def renderers(request: pytest.FixtureRequest, folder: Path) -> dict[str, Renderer]:
    """Of a tokenizer that adds a BOS by default and of one that does not."""
    tokenizer = load_tokenizer(write_tokenizer(folder, adds_bos=request.param))
    return {config.kind: Renderer(tokenizer, config) for config in (CHAT, RAW)}


def test_a_chat_prompt_is_the_templates_own_with_the_steps_after_it(renderers: Renderers) -> None:
    prefix = Prefix("What is {x}?", "Step 1: é \n\n", 1)
    renderer = renderers["chat"]
    tokenizer = renderer.tokenizer
    official = tokenizer.apply_chat_template(
        CHAT.messages(prefix.question), add_generation_prompt=True, return_dict=False
    )
    ids = renderer.ids(prefix)
    assert ids[: len(official)] == official == renderer.header_ids(prefix.question)
    assert tokenizer.decode(ids[len(official) :]) == "Step 1: é \n\n"
    assert renderer.text(prefix) == (
        "<s><|system|>\nThink in steps.<|end|>\n<|user|>\nSolve: What is {x}?\n"
        "Show your work.<|end|>\n<|assistant|>\nStep 1: é \n\n"
    )


def test_a_raw_prompt_is_plain_text_with_the_tokenizers_bos(renderers: Renderers) -> None:
    renderer = renderers["raw"]
    prefix = Prefix("1 + 1", " 2\n", 1)
    ids = renderer.ids(prefix)
    assert ids == renderer.tokenizer("Q: 1 + 1\nA: 2\n")["input_ids"]
    assert renderer.header_ids("1 + 1") == ids[: len(ids) - 3]
    assert renderer.text(prefix) == "Q: 1 + 1\nA: 2\n"


@given(question=texts, text=texts)
@pytest.mark.parametrize("kind", ["chat", "raw"])
def test_text_survives_and_nothing_becomes_control(
    renderers: Renderers, kind: str, question: str, text: str
) -> None:
    renderer = renderers[kind]
    prefix = Prefix(question, text, 1)
    plain = renderer.ids(Prefix("a", "", 1))
    try:
        ids = renderer.ids(prefix)
    except UnrenderableError:
        assert any("\ud800" <= c <= "\udfff" for c in question + text)
        return
    controls = [i for i in ids if i < len(SPECIALS)]
    assert controls == [i for i in plain if i < len(SPECIALS)]
    assert renderer.tokenizer.decode(ids).removeprefix("<s>") == renderer.text(prefix).removeprefix(
        "<s>"
    )
    assert check_round_trip(renderer, prefix) == []


def test_a_doubled_bos_is_made_one(folder: Path) -> None:
    tokenizer = load_tokenizer(write_tokenizer(folder))
    tokenizer.chat_template = "{{ bos_token }}" + CHAT_TEMPLATE
    renderer = Renderer(tokenizer, CHAT)
    assert renderer.ids(Prefix("x", "", 0)).count(BOS) == 1
    tokenizer.chat_template = CHAT_TEMPLATE.replace("{{ bos_token }}", "")
    assert Renderer(tokenizer, CHAT).ids(Prefix("x", "", 0))[0] == BOS


def test_the_check_finds_what_is_wrong(folder: Path) -> None:
    from tokenizers import normalizers

    prefix = Prefix("What?", "Step 1.\n\n", 1)
    tokenizer = load_tokenizer(write_tokenizer(folder))
    tokenizer.chat_template = CHAT_TEMPLATE.replace("add_generation_prompt", "false")
    assert any("assistant turn" in p for p in check_round_trip(Renderer(tokenizer, CHAT), prefix))
    tokenizer = load_tokenizer(write_tokenizer(folder))
    tokenizer.backend_tokenizer.normalizer = normalizers.Strip()
    assert any("white space" in p for p in check_round_trip(Renderer(tokenizer, CHAT), prefix))
    tokenizer = load_tokenizer(write_tokenizer(folder))
    tokenizer.backend_tokenizer.normalizer = normalizers.Lowercase()
    assert any("survive" in p for p in check_round_trip(Renderer(tokenizer, RAW), prefix))


def test_a_model_without_a_chat_template_says_what_to_do(folder: Path) -> None:
    tokenizer = load_tokenizer(write_tokenizer(folder))
    tokenizer.chat_template = None
    with pytest.raises(LabelerError, match="kind: raw"):
        Renderer(tokenizer, CHAT).ids(Prefix("x", "", 0))


def test_a_directory_without_a_tokenizer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LabelerError, match="no tokenizer"):
        load_tokenizer(tmp_path)


@pytest.mark.parametrize("field", ["user", "raw"])
@pytest.mark.parametrize("text", ["no slot", "{question} {question}"])
def test_the_question_goes_in_once(field: str, text: str) -> None:
    with pytest.raises(ValidationError, match="question"):
        PromptConfig(**{field: text})


def test_the_digest_tells_prompts_apart_by_what_shapes_them() -> None:
    different = [
        PromptConfig(),
        PromptConfig(system=""),
        PromptConfig(user="{question} "),
        PromptConfig(kind="raw"),
        PromptConfig(kind="raw", raw="{question}"),
    ]
    assert len({p.digest for p in different}) == len(different)
    assert PromptConfig(raw="{question}!").digest == PromptConfig().digest
    assert PromptConfig(kind="raw", system="x").digest == PromptConfig(kind="raw").digest
