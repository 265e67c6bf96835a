"""Hands the pieces of a batch to workers and keeps what comes back."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import queue
import sys
import time
import uuid
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from typing import Any

from flipsat import _core
from flipsat._batch_worker import solve
from flipsat._errors import InputError, UsageError

LOOK = 0.25  # seconds between looks at who is there
GONE = "the scheduler is gone ({}); the same command goes on from here"
SPARE = 4  # pieces under way beyond twice the threads: what the client holds in memory


@dataclasses.dataclass(frozen=True)
class Progress:
    """How far a batch is."""

    done: int
    """Modules, with those that need no work."""
    modules: int
    """All of them."""
    rate: float
    """Modules a second, in this run."""
    seconds_left: float | None
    """Guessed by bytes; None: nothing is known yet."""
    workers: int
    """Threads of workers that are there now."""


def drive(batch: _core.Batch, words: list[str], client: Any, on_progress: Callable[[Progress], None] | None) -> None:
    """Until every task has an answer."""
    Driver(batch, words, client, on_progress).run()


class Driver:
    def __init__(self, batch: _core.Batch, words: list[str], client: Any,
                 on_progress: Callable[[Progress], None] | None) -> None:
        self.batch = batch
        self.words = tuple(words)
        self.client = client
        self.on_progress = on_progress
        self.run_id = uuid.uuid4().hex
        self.again: list[int] = []
        self.is_last_try = False
        self.done_before = batch.module_count - sum(batch.file_count(task) for task in range(batch.task_count))
        self.done_modules = self.done_before
        self.done_bytes = 0
        self.all_bytes = sum(batch.size(task) for task in range(batch.task_count))
        self.under_way: dict[int, tuple[Any, bytes]] = {}
        self.ended: queue.SimpleQueue[int] = queue.SimpleQueue()
        self.threads: dict[str, int] = {}
        self.placed: dict[str, set[int]] = {}  # by worker, when it was last looked at
        self.began = self.looked = time.monotonic()

    def run(self) -> None:
        self.batch.begin(self.client.scheduler.address)
        self.look()
        if not self.threads:
            print(f"flipsat: no worker is at {self.client.scheduler.address} yet; waiting", file=sys.stderr)
        self.work_off(range(self.batch.task_count), self.window)
        # What was on a worker that died may be innocent: a neighbour's doing. Alone it shows.
        self.is_last_try = True
        self.work_off(self.again, lambda: 1)

    def work_off(self, tasks: Sequence[int], most: Callable[[], int]) -> None:
        """`most`: how many may be under way."""
        left = collections.deque(tasks)
        while left or self.under_way:
            while left and len(self.under_way) < most():
                self.submit(left.popleft())
            with contextlib.suppress(queue.Empty):
                self.take(self.ended.get(timeout=LOOK))
            if time.monotonic() - self.looked > LOOK:
                self.look()

    def window(self) -> int:
        return 2 * sum(self.threads.values()) + SPARE

    def key(self, task: int) -> str:
        return f"flipsat-{self.run_id}-{int(self.is_last_try)}-{task}"

    def submit(self, task: int) -> None:
        try:
            content = self.batch.read(task)
        except (InputError, UsageError) as error:
            self.fail(task, error.message if isinstance(error, InputError) else str(error), "")
            return
        with warnings.catch_warnings():
            # Of a large module. A worker that kept it for others could die with it.
            warnings.filterwarnings("ignore", message="Sending large graph")
            future = self.client.submit(solve, self.words, self.batch.identity, content, self.batch.path(task),
                                        key=self.key(task), pure=False)
        self.under_way[task] = (future, content)
        future.add_done_callback(lambda _: self.ended.put(task))

    def take(self, task: int) -> None:
        from distributed import KilledWorker

        future, content = self.under_way.pop(task)
        try:
            answer = future.result()
        except KilledWorker as error:
            worker = str(error.last_worker.address)
            self.try_again(task, f"{error.allowed_failures + 1} workers died of it, {worker} the last", worker)
        except MemoryError:
            self.try_again(task, "it needs more memory than its worker has", "")
        except CancelledError as error:
            raise UsageError(GONE.format(error)) from error
        except ImportError as error:
            raise UsageError(f"a worker or the scheduler cannot use flipsat (pip install 'flipsat[batch]' there): "
                             f"{error}") from error
        else:
            if answer.refusal:
                raise UsageError(f"the worker {answer.worker} is refused: {answer.refusal}")
            self.keep(task, content, answer)

    def try_again(self, task: int, why: str, worker: str) -> None:
        if self.is_last_try:
            self.fail(task, why, worker)
        else:
            self.batch.retried(task, why)
            self.again.append(task)

    def keep(self, task: int, content: bytes, answer: Any) -> None:
        if answer.failure:
            self.fail(task, answer.failure, answer.worker)
            return
        try:
            self.batch.keep(task, content, answer.entry, answer.worker, answer.milliseconds)
        except (InputError, UsageError, RuntimeError) as error:
            self.fail(task, str(error), answer.worker)
        else:
            self.advance(task)

    def fail(self, task: int, why: str, worker: str) -> None:
        self.batch.fail(task, why, worker)
        self.advance(task)

    def advance(self, task: int) -> None:
        self.done_modules += self.batch.file_count(task)
        self.done_bytes += self.batch.size(task)
        if self.on_progress:
            seconds = max(time.monotonic() - self.began, 1e-9)
            left = (self.all_bytes - self.done_bytes) * seconds / self.done_bytes if self.done_bytes else None
            self.on_progress(Progress(self.done_modules, self.batch.module_count,
                                      (self.done_modules - self.done_before) / seconds, left,
                                      sum(self.threads.values())))

    def look(self) -> None:
        """Who is there, and takes down what the scheduler gives to others because a worker is gone."""
        self.looked = time.monotonic()
        try:
            self.threads = dict(self.client.nthreads())
            processing = self.client.processing()
        except (OSError, TimeoutError) as error:
            raise UsageError(GONE.format(error)) from error
        for worker in self.placed.keys() - self.threads.keys():
            for task in sorted(self.placed[worker] & self.under_way.keys()):
                self.batch.retried(task, f"its worker {worker} is gone")
        own = f"flipsat-{self.run_id}-"
        self.placed = {worker: {int(key.rpartition("-")[2]) for key in keys if str(key).startswith(own)}
                       for worker, keys in processing.items()}
