"""The seam: driving a search, and several as one."""

import pytest

from labeler.model import Ask, Prefix, Reply
from labeler.search import Asks, Replies, Search, drive, together


def prefix(name: str) -> Prefix:
    return Prefix("question", name, 1)


def asking(*rounds: list[tuple[str, int]], heard: list | None = None) -> Search:
    """A search that asks these rounds and notes what it hears."""
    for asks in rounds:
        replies = yield [Ask(prefix(name), n) for name, n in asks]
        if heard is not None:
            heard.append([(r.ask.prefix.text, r.ask.n) for r in replies])


async def replying(asks: Asks) -> Replies:
    return [Reply(ask, ()) for ask in asks]


async def test_a_driven_search_hears_one_reply_for_each_ask() -> None:
    heard: list = []
    await drive(asking([("a", 1), ("b", 2)], [("a", 3)], heard=heard), replying)
    assert heard == [[("a", 1), ("b", 2)], [("a", 3)]]


async def test_an_empty_search_is_over_at_once() -> None:
    await drive(asking(), replying)


async def test_stop_iteration_of_the_answer_is_no_end_of_the_search() -> None:
    async def broken(asks: Asks) -> Replies:
        raise LookupError(next(iter([])))

    with pytest.raises(RuntimeError):
        await drive(asking([("a", 1)]), broken)


async def test_the_search_is_closed_when_answering_fails() -> None:
    closed = []

    def search() -> Search:
        try:
            yield [Ask(prefix("a"), 1)]
        finally:
            closed.append(True)

    async def broken(asks: Asks) -> Replies:
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        await drive(search(), broken)
    assert closed == [True]


async def test_searches_share_rounds_and_prefixes() -> None:
    rounds: list[list[tuple[str, int]]] = []
    heard_one: list = []
    heard_two: list = []

    async def noting(asks: Asks) -> Replies:
        rounds.append([(a.prefix.text, a.n) for a in asks])
        return await replying(asks)

    one = asking([("a", 2)], [("b", 1)], [("c", 1)], heard=heard_one)
    two = asking([("a", 4), ("d", 1)], [("a", 4)], heard=heard_two)
    await drive(together([one, two]), noting)
    assert rounds == [[("a", 4), ("d", 1)], [("b", 1)], [("c", 1)]]
    assert heard_one == [[("a", 4)], [("b", 1)], [("c", 1)]]
    assert heard_two == [[("a", 4), ("d", 1)], [("a", 4)]]
