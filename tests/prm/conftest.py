"""One thread: two that wait for each other on a busy machine take many times as long."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="package", autouse=True)
def one_thread() -> Iterator[None]:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
