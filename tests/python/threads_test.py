#!/usr/bin/env python3
"""The interpreter lock is released while C++ works.

No time is asserted. A call that waits for a pipe returns only if another thread of this Python fills the pipe
meanwhile; where work cannot wait for a pipe, threads are kept from being switched, so that another one runs
during a call only if the call itself lets it. A call that keeps the lock hangs here, and the watchdog ends it.
"""

import faulthandler
import os
import sys
import threading
import time
import unittest

import case
import flipsat
from flipsat.egraph import EGraph

TOO_LONG = 300  # seconds: something hangs


class ThreadsTest(case.PackageTest):
    def setUp(self):
        super().setUp()
        faulthandler.dump_traceback_later(TOO_LONG, exit=True)
        self.addCleanup(faulthandler.cancel_dump_traceback_later)

    def run_with_pipe(self, call, content):
        """`call(path)` in a thread, where `path` is a pipe that is filled from here once the thread waits."""
        path = self.folder / "pipe"
        os.mkfifo(path)
        self.addCleanup(os.remove, path)
        answers = []
        thread = threading.Thread(target=lambda: answers.append(call(path)))
        thread.start()
        with open(path, "w") as pipe:  # waits until the other end is open
            pipe.write(content)
        thread.join()
        return answers[0]

    def test_read(self):
        module = self.run_with_pipe(flipsat.Module.read, case.GAINS)
        self.assertEqual(module.name, "gains")

    def test_optimize_waits_for_its_rules(self):
        module = flipsat.Module.parse(case.GAINS)
        result = self.run_with_pipe(lambda path: flipsat.optimize(module, rules=path), "")
        self.assertTrue(result.changed)

    def assert_lets_others_run(self, call):
        """Another thread runs between the call's beginning and its end."""
        interval = sys.getswitchinterval()
        self.addCleanup(sys.setswitchinterval, interval)
        sys.setswitchinterval(10_000)
        is_in_call = was_seen = False

        def work():
            nonlocal is_in_call
            while not was_seen:
                is_in_call = True
                call()
                is_in_call = False

        thread = threading.Thread(target=work)
        thread.start()
        while not is_in_call:
            time.sleep(0.0001)  # wants the lock back; nobody gives it up but the call
        was_seen = True
        thread.join()

    def test_work(self):
        """Optimizing, verifying and saturating, and not just reading files before."""
        text = (case.ROOT / "examples" / "fsdp_layer.hlo").read_text()
        module = flipsat.Module.parse(text)
        optimized = flipsat.optimize(module).module
        graph = EGraph("comm: (+ ?a ?b) => (+ ?b ?a)\nassoc: (+ (+ ?a ?b) ?c) => (+ ?a (+ ?b ?c))")
        graph.add("(+ a (+ b (+ c (+ d (+ e (+ f (+ g h)))))))")
        for call in (lambda: flipsat.optimize(module), lambda: flipsat.verify(module, optimized),
                     lambda: flipsat.Module.parse(text), module.to_proto, lambda: flipsat.stats(module), graph.run):
            self.assert_lets_others_run(call)

    def test_one_module_in_many_threads(self):
        module = flipsat.Module.read(case.ROOT / "examples" / "fsdp_layer.hlo")
        once = flipsat.optimize(module, only=["gather-convert"]).module
        expected = flipsat.optimize(once).module.to_text()
        again = flipsat.optimize(module, only=["gather-convert"]).module  # not read anew yet
        found = []
        threads = [threading.Thread(target=lambda: found.append(flipsat.optimize(again).module.to_text()))
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [expected] * 4)

    def test_one_e_graph_in_many_threads(self):
        graph = EGraph("zero: (+ ?a 0) => ?a")
        terms = [f"(+ (+ x{number} 0) 0)" for number in range(40)]

        def work(mine):
            for term in mine:
                graph.add(term)
                graph.run()

        threads = [threading.Thread(target=work, args=(terms[first::4],)) for first in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([graph.extract(term).term for term in terms], [f"x{number}" for number in range(40)])


if __name__ == "__main__":
    unittest.main()
