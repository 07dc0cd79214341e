"""Breakpoints on ARM are counted exactly, as on x86. The workload's own loop is the truth. 32-bit boards are left out:
their kernel needs mismatch breakpoints to step over a hit, and QEMU does not have them."""
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
