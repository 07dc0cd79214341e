"""Breakpoints: ARM cores count them as x86 does. The truth is the workload's own loop. Those of 32 bits step
over a hit by mismatch breakpoints, which QEMU does not have."""
import unittest

from lab_case import LabCase, event, on, run

COUNT = 1000


class Breakpoints(LabCase):
    @on("arm64")
    def test_stores_and_executions_are_counted_exactly(self, name):
        word, function = run(name, "stores 0").stdout.split()
        truth = {f"mem:{word}:w:u": COUNT, f"mem:{word}:rw:u": COUNT * 3 // 2, f"mem:{function}:x": COUNT}
        document = self.stat(name, f"-e {','.join(truth)}", f"stores {COUNT}")
        self.assertEqual({each: event(document, each)["count"] for each in truth}, truth)


if __name__ == "__main__":
    unittest.main()
