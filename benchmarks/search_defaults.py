"""Where the value model's defaults come from: one fit to many kinds of planted worlds.

    python benchmarks/search_defaults.py

Eight rollouts of every prefix of the same number of problems of each family that lies outside the
model's own (search_families.py), fitted together, without truth. The pool has no part in it. Takes
a few minutes; prints the parameters.
"""

from search_families import FAMILIES, Assumed
from search_run import Source, fitted

from labeler.posterior import ValueModel

PROBLEMS, N = 24, 8


def main() -> None:
    """Fit and print."""
    families = [name for name, family in FAMILIES.items() if not isinstance(family, Assumed)]
    sources = [Source(name, range(PROBLEMS), luck=1) for name in families]
    found = fitted(sources, N, ValueModel(grid=24))
    print(*families, sep=", ")
    print(*(f"{k}={v:g}" for k, v in found.model.model_dump().items()))
    print(f"bits_before={found.before:.0f} bits_fitted={found.evidence:.0f}")


if __name__ == "__main__":
    main()
