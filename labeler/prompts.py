"""prompts.py - how a prefix becomes what a model reads.

A chat model sees the question as the user's turn and the steps so far as the beginning of its
own turn, which it goes on with: no "please continue". A base model sees raw text.
1. The steps reach the model verbatim, separators included: nothing is stripped.
2. There is exactly one BOS where the tokenizer adds one by default, and never two.
3. Question and steps are data: where they spell a special token ("<|im_end|>"), its text is
   tokenized as ordinary text. (So are special tokens within the steps of reasoning models,
   but not added tokens that are no special ones, such as "<think>".) Then, and only then, the
   prompt is tokenized in pieces, so that what is usual is tokenized as the model saw it.
4. Of a chat prompt, header and steps are tokenized apart: the header of a question is the
   same for all its prefixes, so that they share the engine's prefix cache.
What the prompt's texts are is configuration, and its digest goes into every prefix's key.
"""

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import field_validator

from labeler.model import LabelerError, Prefix, digest
from labeler.params import Params

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_SLOT = "{question}"
_MARK = "\ue000question\ue001"
"""Stands for the user's text while a template is taken apart; private-use characters."""


class PromptConfig(Params):
    """What a completer is shown before the steps."""

    kind: Literal["chat", "raw"] = "chat"
    """chat: through the model's chat template. raw: plain text, for base models."""
    system: str | None = None
    """Content of the system turn (chat); none is sent without it."""
    user: str = _SLOT
    """Content of the user's turn (chat), with {question} where the question goes."""
    raw: str = _SLOT + "\n"
    """The text before the steps (raw), with {question} where the question goes."""

    @field_validator("user", "raw")
    @classmethod
    def _has_slot(cls, text: str) -> str:
        if text.count(_SLOT) != 1:
            raise ValueError("must hold {question} once, where the question goes")
        return text

    @property
    def digest(self) -> str:
        """Content key of what shapes the prompt; it goes into Prefix.template."""
        if self.kind == "raw":
            return digest("raw", self.raw, size=8)
        return digest("chat", self.user, *([] if self.system is None else [self.system]), size=8)

    def messages(self, question: str) -> list[dict[str, str]]:
        """The turns before the assistant's."""
        turns = [] if self.system is None else [{"role": "system", "content": self.system}]
        return [*turns, {"role": "user", "content": self.user.replace(_SLOT, question)}]


def load_tokenizer(path: str | Path) -> "PreTrainedTokenizerBase":
    """The tokenizer of a model directory, or of a name on a hub (HF_HUB_OFFLINE is heeded).

    Raises LabelerError where there is none.
    """
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(str(path))
    except (OSError, ValueError) as e:
        raise LabelerError(f"no tokenizer at {path}: {e}") from e


class UnrenderableError(LabelerError):
    """A prefix that no prompt can be made of; others can."""


class Renderer:
    """Renders prefixes for one tokenizer and one prompt; not for use by several threads."""

    def __init__(self, tokenizer: "PreTrainedTokenizerBase | None", config: PromptConfig) -> None:
        """Without a tokenizer it can only give the text of raw prompts."""
        self.tokenizer: Any = tokenizer
        self.config = config
        self._header = functools.lru_cache(maxsize=4096)(self._make_header)

    def ids(self, prefix: Prefix) -> list[int]:
        """The prefix as token ids, BOS included.

        Raises UnrenderableError for text that is not Unicode, LabelerError where the template
        cannot render any.
        """
        if self.config.kind == "chat":
            return [*self._header(prefix.question), *self.step_ids(prefix.text)]
        before, after = self._raw_parts()
        return self._with_bos(self._encode(before, prefix.question, after, prefix.text))

    def header_ids(self, question: str) -> list[int]:
        """The ids that all prefixes of a question begin with (of a raw prompt: prefix 0)."""
        return list(self._header(question))

    def step_ids(self, text: str) -> list[int]:
        """The ids of the steps of a chat prompt, tokenized apart from the header."""
        return self._tokens(text, data=True) if text else []

    def text(self, prefix: Prefix) -> str:
        """The prefix as text, for servers that take no ids."""
        if self.config.kind == "raw":
            header = self.config.raw.replace(_SLOT, prefix.question)
        else:
            header = self._chat(prefix.question)
        text = header + prefix.text
        try:
            text.encode()
        except UnicodeError as e:
            raise UnrenderableError(f"text that is not Unicode cannot be sent: {e}") from e
        return text

    @property
    def adds_bos(self) -> bool:
        """Whether the tokenizer begins a text with a BOS of its own accord."""
        bos = self.tokenizer.bos_token_id
        return bos is not None and self.tokenizer("a")["input_ids"][:1] == [bos]

    def _make_header(self, question: str) -> tuple[int, ...]:
        if self.config.kind == "raw":
            before, after = self._raw_parts()
            return tuple(self._with_bos(self._encode(before, question, after)))
        if not self._spells_special(question):
            return tuple(self._with_bos(self._tokens(self._chat(question))))
        before, mark, after = self._chat(_MARK).partition(_MARK)
        if not mark:
            raise LabelerError("the chat template changes the text of the user's turn")
        return tuple(self._with_bos(self._encode(before, question, after)))

    def _raw_parts(self) -> tuple[str, str]:
        before, _, after = self.config.raw.partition(_SLOT)
        return before, after

    def _chat(self, question: str) -> str:
        """The text of a chat prompt up to where the assistant's own text begins."""
        try:
            return str(
                self.tokenizer.apply_chat_template(
                    self.config.messages(question), tokenize=False, add_generation_prompt=True
                )
            )
        except Exception as e:  # templates are programs, and raise what they like
            raise LabelerError(
                f"the chat template cannot render the prompt ({e}); base models need "
                "`prompt: {kind: raw}`"
            ) from e

    def _encode(self, before: str, question: str, after: str, steps: str = "") -> list[int]:
        """Ids of the pieces: at one go, or apart where question or steps spell a special token."""
        if not self._spells_special(question + steps):
            return self._tokens(before + question + after + steps)
        pieces = ((before, False), (question, True), (after, False), (steps, True))
        return [i for text, data in pieces if text for i in self._tokens(text, data=data)]

    def _tokens(self, text: str, *, data: bool = False) -> list[int]:
        try:
            ids = self.tokenizer.encode(text, add_special_tokens=False, split_special_tokens=data)
        except (UnicodeError, TypeError) as e:
            raise UnrenderableError(f"text that is not Unicode cannot be tokenized: {e}") from e
        return list(ids)

    def _spells_special(self, text: str) -> bool:
        return any(token in text for token in self._specials)

    @functools.cached_property
    def _specials(self) -> tuple[str, ...]:
        return tuple(token for token in self.tokenizer.all_special_tokens if token)

    @functools.cached_property
    def _bos(self) -> int | None:
        return self.tokenizer.bos_token_id if self.adds_bos else None

    def _with_bos(self, ids: list[int]) -> list[int]:
        """Exactly one BOS at the head, where the tokenizer is of those that have one there."""
        if self._bos is None:
            return ids
        start = 0
        while start < len(ids) and ids[start] == self._bos:
            start += 1
        return [self._bos, *ids[start:]]


def check_round_trip(renderer: Renderer, prefix: Prefix) -> list[str]:
    """What is wrong with how a prefix is rendered; empty when nothing is.

    One BOS, steps that decode to their own text with all white space, a header that ends where
    the assistant's turn begins, and no control token out of a question.
    """
    problems = [*_bos_problems(renderer, prefix), *_text_problems(renderer, prefix)]
    if renderer.config.kind == "chat":
        problems += _turn_problems(renderer, prefix)
    return problems


def _bos_problems(renderer: Renderer, prefix: Prefix) -> list[str]:
    ids, bos = renderer.ids(prefix), renderer.tokenizer.bos_token_id
    if renderer.adds_bos and (ids[:1] != [bos] or ids.count(bos) != 1):
        return [f"{ids.count(bos)} BOS tokens (id {bos}), where one at the head is right"]
    if ids[:2] == [bos, bos]:
        return [f"two BOS tokens (id {bos}) at the head"]
    return []


def _text_problems(renderer: Renderer, prefix: Prefix) -> list[str]:
    chat = renderer.config.kind == "chat"
    ids = renderer.step_ids(prefix.text) if chat else renderer.ids(prefix)
    wanted = prefix.text if chat else renderer.text(prefix)
    text = renderer.tokenizer.decode(
        ids, skip_special_tokens=False, clean_up_tokenization_spaces=False
    )
    if text == wanted or (not chat and text.endswith(wanted)):
        return []
    if wanted and text.rstrip().endswith(wanted.rstrip()):
        return [f"white space at the end is lost: {wanted[-20:]!r} is read as {text[-20:]!r}"]
    return [f"the text does not survive the tokenizer: {wanted[-60:]!r} is read as {text[-60:]!r}"]


def _turn_problems(renderer: Renderer, prefix: Prefix) -> list[str]:
    problems = []
    plain = renderer.tokenizer.apply_chat_template(
        renderer.config.messages(prefix.question), tokenize=False, add_generation_prompt=False
    )
    if renderer.text(prefix).removesuffix(prefix.text) == plain:
        problems.append("the chat template opens no assistant turn (add_generation_prompt)")
    specials = set(renderer.tokenizer.all_special_ids)
    hostile = "".join(renderer.tokenizer.all_special_tokens)
    counts = [sum(i in specials for i in renderer.header_ids(q)) for q in ("a", "a" + hostile)]
    if counts[0] != counts[1]:
        problems.append("a question that spells a special token turns into a control token")
    return problems
