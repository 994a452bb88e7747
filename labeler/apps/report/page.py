"""page.py - the page itself: one file of HTML, its policy, and texts that stay texts.

1. Nothing is fetched: style, script and pictures are in the file.
2. Texts of the data are in blocks of JSON, out of which nothing can break (sample.embedded); the
   script puts them on the page as text. What the template shows of the run is escaped.
3. The policy names the one script and the one style by their digests, so that no other could run
   even then.
"""

import base64
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import Any

_STYLES = ("page.css", "browser.css")
_SCRIPTS = ("theme.js", "values.js", "data.js", "filters.js", "list.js", "steps.js", "detail.js",
            "browser.js")  # fmt: skip


def page(context: Mapping[str, Any]) -> str:
    """The page. `context` is what templates/page.html names."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("labeler.apps.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["count"] = lambda n: "not known" if n is None else f"{n:,.0f}"
    environment.filters["share"] = lambda x: "not known" if x is None else f"{x:.1%}"
    style, script = _joined(_STYLES), f'"use strict";(() => {{\n{_joined(_SCRIPTS)}}})();'
    return environment.get_template("page.html").render(
        context, style=style, script=script, policy=policy(style, script)
    )


def policy(style: str, script: str) -> str:
    """The Content-Security-Policy of a page with this style and this script, and nothing else."""
    rules = {
        "default-src": "'none'",
        "script-src": _named(script),
        "style-src": _named(style),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _named(text: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"


def _joined(names: Sequence[str]) -> str:
    folder = files("labeler.apps.report") / "templates"
    return "".join((folder / name).read_text(encoding="utf-8") for name in names)
