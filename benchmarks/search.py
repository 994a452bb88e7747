"""Who finds the first wrong step, how often, and at what cost?

    python benchmarks/search.py [--quick]

Policies: exhaustive (Math-Shepherd), bisection and scan, with and without an early stop, and the
adaptive search at several confidences; each also read by the rule `posterior` in place of `first
zero`. On the recorded pool of testbed solutions, whose truth is exact, and on planted worlds. All
meet the same luck. The last line has adaptive's rollouts at the accuracy of each rival, as a share
of the rival's, and the ECE on well-specified planted worlds. A full run also draws search.png.
"""

import argparse
import time
from pathlib import Path

import search_omega
import search_planted
import search_pool
from search_pool import Bench
from search_rules import CONFIDENCES, DEFAULT
from search_run import pool
from search_scores import Score
from search_tables import HEAD, Curve, adaptives, named, ratios, shown, table

PICTURE = Path(__file__).parent / "search.png"


def section(title: str) -> None:
    """Say what follows."""
    print(f"\n== {title} ({time.strftime('%H:%M:%S')})", flush=True)


def on_the_pool(bench: Bench, confidences: tuple[float, ...]) -> list[Score]:
    """The pool's tables."""
    section("the pool: solutions with a wrong answer")
    for number, model in bench.models.items():
        fields = {k: v for k, v in model.model_dump().items() if k != "grid"}
        print(f"half {number} is searched with", *(f"{k}={v:g}" for k, v in fields.items()))
    scores = search_pool.scores(bench, confidences)
    print(HEAD)
    print(*table(scores), sep="\n")
    bound = search_pool.genie(bench)
    levels = {name: named(scores, name).ratio("right") for name in ("exhaustive 8", "bisection 8")}
    for name, accuracy in levels.items():
        least = f"{bound.cost(accuracy):.1f} rollouts"
        print(f"a genie that knows all values (a reference): {least} at the accuracy of {name}")
    for measure, what in (("right", "exact truth"), ("agreed", "the value reference")):
        for cost in ("rollouts", "tokens"):
            found = ratios(scores, cost, measure)
            print(f"ratios in {cost}, against {what}:", end=" ")
            print(*(f"{k}={shown(v)}" for k, v in found.items()))
    return scores


def last_line(scores: list[Score], ece: float) -> str:
    """The headline."""
    default = named(scores, f"adaptive {DEFAULT:.2f}", "posterior")
    exhaustive, bisection = named(scores, "exhaustive 8"), named(scores, "bisection 8")
    curve = Curve(adaptives(scores))
    gain = curve.accuracy(bisection.ratio("rollouts")) - bisection.ratio("right")
    values = {
        **ratios(scores, "rollouts"),
        "default_accuracy": default.ratio("right"),
        "default_rollouts": default.ratio("rollouts"),
        "exhaustive8_accuracy": exhaustive.ratio("right"),
        "exhaustive8_rollouts": exhaustive.ratio("rollouts"),
        "gain_at_bisection8_budget": gain,
        "posterior64_accuracy": named(scores, "exhaustive 64", "posterior").ratio("right"),
        "firstzero64_accuracy": named(scores, "exhaustive 64").ratio("right"),
        "ece_value": ece,
    }
    return " ".join(f"{name}={shown(value)}" for name, value in values.items())


def main() -> None:
    """Print the tables and the headline."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a part of it, under a minute")
    quick = parser.parse_args().quick
    confidences = (0.6, 0.8, DEFAULT) if quick else CONFIDENCES
    most, lucks, problems, honest = (40, 1, 3, 60) if quick else (len(pool()), 2, 80, 1700)
    bench = Bench(search_pool.models(most), lucks, most)
    scores = on_the_pool(bench, confidences)
    section("the pool: adaptive by rollouts a round")
    print(*table(search_pool.batches(bench)), sep="\n")
    section("the pool: right answers")
    print(*search_pool.right_answers(bench), sep="\n")
    section(f"the pool: calibration at confidence {DEFAULT}")
    found = search_pool.calibrated(bench)
    print(*search_pool.calibration_lines(found), sep="\n")
    section("planted worlds, default parameters")
    for line in search_planted.families(problems):
        print(line, flush=True)
    section("omega's tree on a planted world that writes (n/a on the pool, which has no texts)")
    print(*(f"{name}={value}" for name, value in search_omega.planted_row(quick).items()))
    section(f"planted worlds of the model itself: calibration at confidence {DEFAULT}")
    lines, ece = search_planted.honest(honest)
    print(*lines, sep="\n")
    if not quick:
        from search_plot import plot

        solutions = int(scores[0].ratio("solutions", "searches") * len(scores[0].sums))
        caption = (
            f"{solutions:,} wrong-answer solutions of generated word problems, where every step's "
            "truth is known; bars: 95% bootstrap intervals"
        )
        plot(scores, PICTURE, caption)
    print(last_line(scores, ece))


if __name__ == "__main__":
    main()
