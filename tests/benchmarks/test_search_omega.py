"""The bench of tree searches counts what its trees hold."""

from search_omega import planted_row


def test_the_planted_row_adds_up() -> None:
    row = planted_row(quick=True)
    assert row["problems"] == 12
    assert 0 < row["located"] == row["searches"] <= 12 * 10
    assert row["without_error"] == 0
    assert row["accuracy"] == row["accuracy_state"] > 0.7
    assert row["rollouts_per_error"] * row["located"] >= 8 * 12
    assert row["tokens_per_error"] > row["rollouts_per_error"]
