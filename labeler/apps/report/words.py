"""words.py - numbers as a page says them; what is not known says so. Pure."""


def count(n: float | None) -> str:
    """A whole number."""
    return "not known" if n is None else f"{n:,.0f}"


def large(n: float | None) -> str:
    """A whole number, in millions where it is large."""
    return f"{n / 1e6:,.1f} M" if n is not None and n >= 1e7 else count(n)


def percent(x: float | None) -> str:
    """A share."""
    return "not known" if x is None else f"{x:.1%}"


def gain(x: float | None) -> str:
    """A difference of shares."""
    return "not known" if x is None else f"{x:+.3f}"


def part(n: int, whole: int) -> str:
    """A part of a whole, as a share."""
    return f"{n / whole:.1%}" if whole else "none"


def ratio(a: float | None, b: float | None) -> str:
    """One number for each of another."""
    return f"{a / b:,.0f}" if a and b else "not known"


def clock(hours: float | None) -> str:
    """A time."""
    if hours is None:
        return "not known"
    return f"{hours:,.1f} h" if hours >= 1 else f"{60 * hours:.1f} min"
