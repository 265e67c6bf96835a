"""Dask, as a batch needs it: a scheduler that is there, or a cluster of this machine for as long as it runs."""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
from collections.abc import Iterator
from typing import Any

from flipsat import _core
from flipsat._errors import UsageError

PATIENCE = 5  # seconds for the scheduler to answer
LEAST_SHARE = 128 << 20  # bytes of a worker's memory; with less it may be ended before it has begun


@contextlib.contextmanager
def connected(scheduler: str | None, scheduler_file: str | os.PathLike[str] | None, workers: int | None,
              memory: str | None) -> Iterator[Any]:
    """A client of it."""
    try:
        distributed = dask()
    except ImportError as error:
        raise UsageError(f"flipsat.batch needs Dask (pip install 'flipsat[batch]'): {error}") from error
    if scheduler is not None and scheduler_file is not None:
        raise UsageError("--scheduler and --scheduler-file exclude each other")
    with contextlib.ExitStack() as stack:
        if scheduler is None and scheduler_file is None:
            address = stack.enter_context(local_cluster(workers, memory))
        elif workers is not None or memory is not None:
            raise UsageError("--workers and --memory are of a local cluster; those of a scheduler have their own")
        else:
            address = scheduler
        if scheduler_file is not None and not os.path.isfile(scheduler_file):
            raise UsageError(f"cannot read {os.fspath(scheduler_file)}: no such file")
        try:
            if scheduler is not None:
                distributed.comm.get_address_host(scheduler)  # says at once what is no address
            client = distributed.Client(address, scheduler_file=scheduler_file and os.fspath(scheduler_file),
                                        timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError) as error:
            asked = scheduler_file if scheduler is None else scheduler
            raise UsageError(f"no Dask scheduler answers at {asked}: {error}") from error
        yield stack.enter_context(client)


def dask() -> Any:
    """Without its types, which are not for strict rules."""
    return importlib.import_module("distributed")


def local_cluster(workers: int | None, memory: str | None) -> Any:
    count = len(os.sched_getaffinity(0)) if workers is None else workers
    if not isinstance(count, int) or count < 1:
        raise UsageError("--workers: expected a number from 1")
    limit = 0
    if memory is not None:
        if not isinstance(memory, str):
            raise UsageError("--memory: expected a size, as '512M' or '4G'")
        whole = _core.memory_size(memory)
        if whole < LEAST_SHARE:
            raise UsageError(f"--memory: a worker needs at least {LEAST_SHARE >> 20}M")
        count = min(count, whole // LEAST_SHARE)
        limit = whole // count
    return dask().LocalCluster(n_workers=count, threads_per_worker=1, processes=True, host="127.0.0.1",
                               memory_limit=limit, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL)

