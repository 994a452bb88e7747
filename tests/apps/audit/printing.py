"""What tests of a printed audit share: how it is asked for, and what is printed."""

import io
from pathlib import Path

from rich.console import Console

from labeler.apps.audit import How, Outputs, audit

EXACT = How(sample=0)


def printed(root: Path, other: Path | None = None, how: How = EXACT, **out: Path) -> str:
    text = io.StringIO()
    audit(root, other, how, Outputs(**out), Console(file=text, width=100))
    return text.getvalue()
