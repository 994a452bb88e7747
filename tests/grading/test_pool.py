"""The worker pool under real trouble: overruns, deaths, memory, and a killed caller."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from labeler.grading.pool import WorkerPool
from labeler.grading.rulings import Judged
from labeler.grading.server import GraderError
from labeler.model import Reason

GOLD, SAME = "2\\sqrt{2}", "\\sqrt{8}"
SLOW_GOLD, SLOW = "x>2", "x^{60}+x^{51}-3x^{20}+x-7>0"
"""A pair whose comparison takes sympy minutes."""


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(condition: Callable[[], bool]) -> bool:
    """Whether a condition comes true within half a minute."""
    for _ in range(600):
        if condition():
            return True
        time.sleep(0.05)
    return False


def gone(pids: Sequence[int]) -> bool:
    return wait_for(lambda: not any(alive(pid) for pid in pids))


def ticks(pid: int) -> int:
    """Processor time that a process has used, in hundredths of a second or so."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11])


async def busy_worker(server: int) -> int:
    """The pid of the worker that has been computing for a while."""
    for _ in range(600):
        for pid in children(server):
            if ticks(pid) > 20:
                return pid
        await asyncio.sleep(0.05)
    raise AssertionError("no worker took the job up")


async def test_nothing_starts_before_the_first_job_and_nothing_stays_after() -> None:
    async with WorkerPool(1, 30.0, 2048) as pool:
        assert pool.pids == []
        assert (await pool.run(GOLD, SAME)).ruling.reason is Reason.MATCH
        assert (await pool.run(GOLD, "\\sqrt{7}")).ruling.reason is Reason.WRONG
        pids = list(pool.pids)
        assert len(pids) == 2
    assert gone(pids)


async def test_an_overrunning_job_is_killed_and_the_next_one_works() -> None:
    async with WorkerPool(1, 0.3, 2048) as pool:
        assert (await pool.run(SLOW_GOLD, SLOW)).ruling.reason is Reason.TIMEOUT
        server = pool.pids[0]
        assert wait_for(lambda: children(server) == [])
    async with WorkerPool(2, 2.0, 2048) as pool:
        pairs = [(SLOW_GOLD, SLOW), (GOLD, SAME), (GOLD, SAME)]
        rulings = await asyncio.gather(*(pool.run(*pair) for pair in pairs))
        assert rulings[0].ruling.reason is Reason.TIMEOUT
        assert (await pool.run(GOLD, SAME)).ruling.reason is Reason.MATCH


@pytest.mark.parametrize("how", [signal.SIGABRT, signal.SIGSEGV, signal.SIGKILL])
async def test_a_worker_that_dies_costs_one_verdict(how: signal.Signals) -> None:
    async with WorkerPool(1, 60.0, 2048) as pool:
        await pool.run(GOLD, SAME)
        job = asyncio.create_task(pool.run(SLOW_GOLD, SLOW))
        os.kill(await busy_worker(pool.pids[0]), how)
        assert (await job).ruling.reason is Reason.GRADER_DIED
        assert (await pool.run(GOLD, SAME)).ruling.reason is Reason.MATCH


async def test_a_server_that_dies_takes_its_workers_along_and_is_replaced() -> None:
    async with WorkerPool(1, 60.0, 2048) as pool:
        await pool.run(GOLD, SAME)
        first = list(pool.pids)
        job = asyncio.create_task(pool.run(SLOW_GOLD, SLOW))
        await busy_worker(first[0])
        os.kill(first[0], signal.SIGKILL)
        assert (await job).ruling.reason is Reason.GRADER_DIED
        assert gone(first)
        assert (await pool.run(GOLD, SAME)).ruling.reason is Reason.MATCH
        assert pool.pids[0] != first[0]


@pytest.mark.parametrize("idle", [True, False])
async def test_waiting_jobs_outlive_a_killed_server(idle: bool) -> None:
    pairs = [(f"\\sqrt{{{8 * k * k}}}", f"{2 * k}\\sqrt{{2}}") for k in range(1, 40)]
    async with WorkerPool(2, 60.0, 2048) as pool:
        await asyncio.gather(*(pool.run(*pair) for pair in pairs[:2]))
        jobs = [] if idle else [asyncio.create_task(pool.run(*pair)) for pair in pairs]
        await asyncio.sleep(0.02)
        os.kill(pool.pids[0], signal.SIGKILL)
        jobs += [asyncio.create_task(pool.run(*pair)) for pair in pairs]
        reasons = [(await job).ruling.reason for job in jobs]
        died = reasons.count(Reason.GRADER_DIED)
        assert died <= 2
        assert reasons.count(Reason.MATCH) == len(jobs) - died


async def test_closing_while_the_server_starts_leaves_nothing_open() -> None:
    before = sorted(os.listdir("/proc/self/fd"))
    for _ in range(3):
        async with WorkerPool(1, 60.0, 2048) as pool:
            job = asyncio.create_task(pool.run(GOLD, SAME))
            await asyncio.sleep(0.05)
            job.cancel()
            await asyncio.gather(job, return_exceptions=True)
            assert pool.pids == []
    assert sorted(os.listdir("/proc/self/fd")) == before
    assert children(os.getpid()) == []


async def test_a_closed_pool_starts_nothing() -> None:
    async with WorkerPool(1, 60.0, 2048) as pool:
        pass
    with pytest.raises(GraderError, match="not open"):
        await pool.run(GOLD, SAME)


async def test_depth_and_memory_bombs_are_too_big() -> None:
    async with WorkerPool(1, 60.0, 2048) as pool:
        assert (
            await pool.run(GOLD, "\\sqrt{" * 900 + "1" + "}" * 900)
        ).ruling.reason is Reason.TOO_BIG
        assert (await pool.run(GOLD, SAME)).ruling.reason is Reason.MATCH
    terms = "\\sum_{k=1}^{1900}\\sin^{1.5}(k+x^{k})"
    async with WorkerPool(1, 60.0, 60) as pool:
        assert (await pool.run(GOLD, terms)).ruling.reason is Reason.TOO_BIG
    async with WorkerPool(1, 60.0, 2048) as pool:
        assert (await pool.run(GOLD, terms)).ruling.reason is Reason.WRONG


async def test_a_cancelled_job_leaves_no_busy_worker() -> None:
    async with WorkerPool(1, 60.0, 2048) as pool:
        await pool.run(GOLD, SAME)
        job = asyncio.create_task(pool.run(SLOW_GOLD, SLOW))
        worker = await busy_worker(pool.pids[0])
        job.cancel()
        with pytest.raises(asyncio.CancelledError):
            await job
        assert (await pool.run(GOLD, SAME)).ruling.reason is Reason.MATCH
        assert gone([worker])


async def test_a_reply_that_waited_for_a_busy_loop_is_no_timeout() -> None:
    async with WorkerPool(1, 1.0, 2048) as pool:
        await pool.run("\\sqrt{5}", "\\sqrt{6}")
        job = asyncio.create_task(pool.run(GOLD, SAME))
        await asyncio.sleep(0.05)
        time.sleep(2.0)  # noqa: ASYNC251 - the loop is kept busy on purpose
        assert (await job).ruling.reason is Reason.MATCH


def test_it_works_in_a_thread_and_leaves_the_callers_signals_alone() -> None:
    rulings: list[Judged] = []

    async def grade() -> None:
        async with WorkerPool(1, 30.0, 2048) as pool:
            rulings.append(await pool.run(GOLD, SAME))

    def handler(*_: object) -> None:
        raise AssertionError("the caller's alarm rang")

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 1000)
    try:
        thread = threading.Thread(target=lambda: asyncio.run(grade()))
        thread.start()
        thread.join()
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
        assert signal.getsignal(signal.SIGALRM) is handler
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert [judged.ruling.reason for judged in rulings] == [Reason.MATCH]


CALLER = f"""
import asyncio, os, time
from labeler.grading.pool import WorkerPool
from labeler.grading.rulings import Judged
from labeler.grading.server import GraderError

async def main():
    async with WorkerPool(2, 600.0, 2048) as pool:
        await pool.run({GOLD!r}, {SAME!r})
        job = asyncio.create_task(pool.run({SLOW_GOLD!r}, {SLOW!r}))
        other = os.fork()
        if other == 0:  # holds every descriptor of its parent open
            os.close(1)
            time.sleep(60)
            os._exit(0)
        print(pool.pids[0], other, flush=True)
        await job

asyncio.run(main())
"""


def test_a_killed_caller_leaves_no_process_behind() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", CALLER], stdout=subprocess.PIPE, text=True
    ) as caller:
        assert caller.stdout is not None
        server, other = map(int, caller.stdout.readline().split())
        try:
            asyncio.run(busy_worker(server))
            pids = [server, *children(server)]
            assert all(alive(pid) for pid in pids)
            caller.kill()
            caller.wait()
            assert gone(pids)
        finally:
            os.kill(other, signal.SIGKILL)


def seen(pid: int, name: str) -> bytes:
    return Path(f"/proc/{pid}/{name}").read_bytes()


async def test_the_server_loads_grading_alone() -> None:
    async with WorkerPool(1, 30.0, 2048) as pool:
        await pool.run(GOLD, SAME)
        server = pool.pids[0]
        maps, environment = (seen(server, name) for name in ("maps", "environ"))
    assert not any(name in maps for name in (b"torch", b"vllm", b"pyarrow", b"/ray/"))
    assert b"LD_PRELOAD" not in environment
    assert b"OMP_NUM_THREADS=1" in environment


@pytest.mark.cluster
def test_it_works_in_a_ray_actor() -> None:
    import ray

    @ray.remote(num_cpus=1)
    class Actor:
        async def grade(self) -> tuple[str, list[int]]:
            async with WorkerPool(1, 60.0, 2048) as pool:
                ruling = await pool.run(GOLD, SAME)
                return str(ruling.ruling.reason), list(pool.pids)

    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        reason, pids = ray.get(Actor.remote().grade.remote())
    finally:
        ray.shutdown()
    assert reason == "match"
    assert gone(pids)
