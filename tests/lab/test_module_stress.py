"""The module is loaded and unloaded many times while CPUs go offline and come back, readers read and perf counts. There
is no fault, and no access is left open. This test boots its own boards."""
import dataclasses
import os
import unittest

import lab_case
from board import boot
from lab_case import on
from module_case import MODULE, ModuleCase

# When a module's memory is freed, the kernel flushes the translations of all pages between the module and the vmalloc
# area, one by one. On a 32-bit board that takes QEMU most of the time; with less memory it takes less.
# TACHO_STRESS_TIMES overrides the number of loads.
BOARDS = {name: dataclasses.replace(lab_case.BOARDS[name], **changes)
          for name, changes in {"arm64": {}, "arm64-smp": {}, "armv7-smp": {"memory": 192}}.items()}
TIMES = {"arm64": 1000, "arm64-smp": 1000, "armv7-smp": 200}


class Stress(ModuleCase):
    @on(*BOARDS)
    def test_loads_and_unloads(self, name):
        cpus = BOARDS[name].cpus
        times = int(os.environ.get("TACHO_STRESS_TIMES", TIMES[name]))
        with boot(BOARDS[name]) as board:
            # With expedited RCU grace periods a load takes a fifth of the time; most of it is waiting.
            result = board.run(f"export PATH=/opt/tacho/bin:/opt/tacho/programs:$PATH; echo 1 >/sys/kernel/rcu_expedited\n"
                               f"module_stress {MODULE} {times} {cpus}", limit=500)
            self.assertEqual(result.code, 0, result.stdout + result.stderr)
            did = {word: int(count) for word, count in map(str.split, result.stdout.splitlines())}
            self.assertEqual((did["loads"], did["nonsense"]), (times, 0))
            for others in ("reads", "refusals", "statuses", "sessions") + (("switches",) if cpus > 1 else ()):
                self.assertGreater(did[others], 20, f"{others}: {did}")
            left = board.run(f"programs/read_cycles {' '.join(map(str, range(cpus)))}; cat /proc/sys/kernel/tainted; dmesg")
        lines = left.stdout.splitlines()
        self.assertEqual([line.split()[1] for line in lines[:cpus]], ["SIGILL"] * cpus)
        self.assert_clean(lines[cpus], "\n".join(lines[cpus + 1:]))


if __name__ == "__main__":
    unittest.main()
