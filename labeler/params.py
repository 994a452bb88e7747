"""params.py - the base of every piece of configuration.

Frozen, and an unknown key is an error. The docstring under a field is its documentation, and
class defaults are the settings we vouch for.
"""

from typing import Any

from pydantic import BaseModel, ConfigDict, field_validator


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
