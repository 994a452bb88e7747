"""params.py - the base of every piece of configuration.

Frozen, and an unknown key is an error. The docstring under a field is its documentation, and
class defaults are the settings we vouch for.
"""

from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator
from pydantic_core import ErrorDetails


class Params(BaseModel):
    """A frozen piece of configuration that refuses unknown keys."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, protected_namespaces=()
    )

    @field_validator("*")
    @classmethod
    def _is_text(cls, value: Any) -> Any:  # noqa: ANN401 - any field's value
        """A text must fit into a UTF-8 file and a file name: no lone surrogate, no NUL."""
        if isinstance(value, str):
            value.encode()  # UnicodeEncodeError is a ValueError
            if "\0" in value:
                raise ValueError("NUL characters have no place in a setting")
        return value


def explain(error: ValidationError, root: type[BaseModel]) -> list[str]:
    """A line for each thing that is wrong, with its key and, if it has none, the nearest one."""
    return [_line(one, root) for one in error.errors()]


def _line(error: ErrorDetails, root: type[BaseModel]) -> str:
    kind, loc, message = error["type"], error["loc"], error["msg"]
    models, rivals, shown = _walk(loc if kind != "extra_forbidden" else loc[:-1], root)
    if kind != "extra_forbidden":
        return f"{'.'.join(shown) or 'config'}: {message}"
    unknown = str(loc[-1])
    names = sorted({name for model in models for name in model.model_fields})
    near = get_close_matches(unknown, names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"valid are {', '.join(names)}"
    kinds = [m.model_fields["kind"].default for m in rivals if unknown in m.model_fields]
    if kinds:
        hint = f"it is one of kind: {' or '.join(kinds)}"
    return f"{'.'.join([*shown, unknown])}: no such key; {hint}"


def _walk(
    loc: tuple[int | str, ...], root: type[BaseModel]
) -> tuple[list[type[BaseModel]], list[type[BaseModel]], list[str]]:
    """What a validation error's location ends in, and its keys without union tags.

    The models there, and the other kinds of their union.
    """
    models: list[type[BaseModel]] = [root]
    rivals: list[type[BaseModel]] = []
    shown: list[str] = []
    for part in map(str, loc):
        tagged = [
            m for m in models if "kind" in m.model_fields and m.model_fields["kind"].default == part
        ]
        if tagged and len(models) > 1:
            rivals = [m for m in models if m not in tagged]
            models = tagged
            continue
        shown.append(part)
        if part.isdigit():  # a place in a list: its model is that of the key before
            continue
        fields = [m.model_fields[part] for m in models if part in m.model_fields]
        models, rivals = [m for f in fields for m in _models(f.annotation)], []
    return models, rivals, shown


def _models(annotation: Any) -> list[type[BaseModel]]:  # noqa: ANN401 - any type expression
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [m for arg in get_args(annotation) for m in _models(arg)]
