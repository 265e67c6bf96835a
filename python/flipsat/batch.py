"""Many modules on many machines: the files of `flipsat batch`, with the work done by workers of Dask.

    python -m flipsat.batch --scheduler tcp://10.0.0.1:8786 dumps -o optimised

docs/batch.md tells how to set up a cluster and what happens when workers die.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pathlib
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any

from flipsat import _core
from flipsat._batch_cluster import connected
from flipsat._batch_drive import Progress, drive
from flipsat._errors import InputError, UsageError
from flipsat._options import Options, options_of, words_of
from flipsat._program import use_this_python

__all__ = ["BatchResult", "Progress", "main", "run"]


@dataclasses.dataclass(frozen=True)
class BatchResult:
    """What came of a batch. The files are in its folder."""

    output: pathlib.Path
    """The folder."""
    modules: int
    """How many there are."""
    known: int
    """So many of them an earlier run has finished."""
    failed: int
    """So many have an `error` in the report."""
    text: str
    """The table that `flipsat batch` shows."""

    @property
    def report(self) -> dict[str, Any]:
        """What `report.json` says, read anew."""
        report: dict[str, Any] = json.loads((self.output / "report.json").read_text())
        return report


def run(inputs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], output: str | os.PathLike[str],
        options: Options | None = None, *, scheduler: str | None = None,
        scheduler_file: str | os.PathLike[str] | None = None, workers: int | None = None, memory: str | None = None,
        cache: str | os.PathLike[str] | None = None, stage: str | None = None, module: str | None = None,
        on_progress: Callable[[Progress], None] | None = None, **given: Any) -> BatchResult:
    """Optimises every module below the folders `inputs`, on the workers of a Dask scheduler.

    Where neither `scheduler` (its address) nor `scheduler_file` is given, on `workers` processes of this machine
    (None: one for each processor), which hold at most `memory` ("4G") together. A script that does this keeps its
    own work below `if __name__ == "__main__"`, since new processes read it again. `stage` and `module` choose from
    folders that XLA has dumped to. Options are those of `flipsat.Options`, together or by keyword. A module that
    fails is told in the report and stops nothing. Raises UsageError where there is no scheduler or a worker has
    another flipsat.
    """
    asked = options_of(Options, options, given)
    listed = [inputs] if isinstance(inputs, (str, os.PathLike)) else inputs
    words = [*words_of(asked), f"--output={os.fspath(output)}"]
    words += [f"--{name}={os.fspath(value)}"
              for name, value in (("cache", cache), ("stage", stage), ("module", module)) if value is not None]
    return run_words([*words, "--", *(os.fspath(path) for path in listed)], pathlib.Path(output), scheduler,
                     scheduler_file, workers, memory, on_progress)


def run_words(words: list[str], output: pathlib.Path, scheduler: str | None,
              scheduler_file: str | os.PathLike[str] | None, workers: int | None, memory: str | None,
              on_progress: Callable[[Progress], None] | None) -> BatchResult:
    use_this_python()
    batch = _core.Batch(words)
    if batch.task_count > 0:
        with connected(scheduler, scheduler_file, workers, memory) as client:
            drive(batch, words, client, on_progress)
    else:
        batch.begin("")
    failed = batch.finish()
    return BatchResult(output, batch.module_count, batch.known, failed, batch.text())


def main(words: Sequence[str] | None = None) -> int:
    """The command; its exit status is that of `flipsat batch`."""
    parser = argparse.ArgumentParser(prog="python -m flipsat.batch", allow_abbrev=False,
                                     usage="%(prog)s [--scheduler ADDRESS] DIR... -o OUT [options of 'flipsat batch']")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask scheduler, as tcp://10.0.0.1:8786 "
                        "(default: a cluster of this machine)")
    parser.add_argument("--scheduler-file", metavar="PATH", help="that the scheduler wrote its address to")
    parser.add_argument("--workers", metavar="N", type=int, help="of the cluster of this machine (default: as many "
                        "as there are processors)")
    parser.add_argument("--memory", metavar="SIZE", help="how much those may hold together, as 512M or 4G (default: "
                        "unlimited)")
    parser.epilog = "All other words are those of 'flipsat batch' (see 'flipsat batch --help')."
    own, rest = parser.parse_known_args(words)
    if any(word.partition("=")[0] == "--threads" for word in rest):
        parser.error("--threads: --workers says how many processes there are")
    is_quiet = "--quiet" in rest
    shown = line_on_terminal if not is_quiet and sys.stderr.isatty() else None
    try:
        result = run_words(rest, pathlib.Path(), own.scheduler, own.scheduler_file, own.workers, own.memory, shown)
    except InputError as error:
        print(error, file=sys.stderr)
        return 3
    except UsageError as error:
        print(f"flipsat: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("flipsat: stopped; the same command goes on from here", file=sys.stderr)
        return 128 + signal.SIGINT
    if shown:
        print(file=sys.stderr)
    if not is_quiet:
        print(result.text, end="")
    return 1 if result.failed else 0


def line_on_terminal(progress: Progress) -> None:
    left = "" if progress.seconds_left is None else f", {progress.seconds_left:.0f} s left"
    print(f"\r\x1b[K{progress.done} of {progress.modules} modules, {progress.rate:.1f}/s{left}, "
          f"{progress.workers} workers", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
