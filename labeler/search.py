"""search.py - the seam between deciding and sampling.

A search yields a batch of Asks and receives one Reply for each, in order.
1. It does no I/O, reads no clock, draws no random number: same replies, same asks.
2. Asks are cumulative: for one prefix each later n is larger than the one before.
3. It returns nothing. What rollouts mean is labels.py's business, from the log alone.

Searches compose: `together` runs several side by side as one search, so that the solutions of
a problem share each round, and a prefix that two of them want is asked for once.
"""

from collections.abc import Awaitable, Callable, Generator, Iterable, Sequence
from contextlib import closing
from typing import TypeVar

from labeler.model import Ask, Reply

Asks = Sequence[Ask]
Replies = Sequence[Reply]
Search = Generator[Asks, Replies, None]
Answer = Callable[[Asks], Awaitable[Replies]]
Found = TypeVar("Found")


async def drive(search: Search, answer: Answer) -> None:
    """Run a search to its end, answering each batch of asks with `answer`.

    StopIteration is caught round `send` alone: one that escaped from `answer` must not look
    like a finished search.
    """
    with closing(search):
        asks = next(search, None)
        while asks is not None:
            replies = await answer(asks)
            try:
                asks = search.send(replies)
            except StopIteration:
                return


def replay(search: Generator[Asks, Replies, Found], answer: Callable[[Ask], Reply]) -> Found:
    """Run a search to its end where each ask can be answered at once; gives what it returns."""
    replies: Replies | None = None
    with closing(search):
        while True:
            try:
                asks = next(search) if replies is None else search.send(replies)
            except StopIteration as end:
                found: Found = end.value
                return found
            replies = [answer(ask) for ask in asks]


def together(searches: Iterable[Search]) -> Search:
    """Several searches as one: each round carries the asks of all that still run."""
    running: list[tuple[Search, Asks]] = []
    for search in searches:
        first = next(search, None)
        if first is not None:
            running.append((search, first))
    known: dict[str, Reply] = {}
    while running:
        fresh = _merge(asks for _, asks in running)
        wanted = [a for a in fresh if a.prefix.key not in known or known[a.prefix.key].ask.n < a.n]
        if wanted:
            for reply in (yield wanted):
                known[reply.ask.prefix.key] = reply
        running = _advance(running, known)


def _merge(batches: Iterable[Asks]) -> list[Ask]:
    """The asks of one round, the largest n of each prefix, in order of first mention."""
    merged: dict[str, Ask] = {}
    for asks in batches:
        for ask in asks:
            seen = merged.get(ask.prefix.key)
            if seen is None or seen.n < ask.n:
                merged[ask.prefix.key] = ask
    return list(merged.values())


def _advance(
    running: Sequence[tuple[Search, Asks]], known: dict[str, Reply]
) -> list[tuple[Search, Asks]]:
    """Send each search what it asked for; keep those that ask again."""
    still: list[tuple[Search, Asks]] = []
    for search, asks in running:
        try:
            again = search.send([known[a.prefix.key] for a in asks])
        except StopIteration:
            continue
        still.append((search, again))
    return still
