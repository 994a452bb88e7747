"""params.py - the base of every piece of configuration.

Frozen, and an unknown key is an error. The docstring under a field is its documentation, and
class defaults are the settings we vouch for.
"""

from pydantic import BaseModel, ConfigDict


class Params(BaseModel):
    """A frozen piece of configuration that refuses unknown keys."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, protected_namespaces=()
    )
