"""tacho doctor --prove on machines that do not exist.

One count of a core's event is one nanosecond of CPU time here. So checks that compare counts with each other or with
times are proved, and those of known loops fail: the instrument says that these counters are wrong.
"""
import re
import unittest

from machine import Machine

KNOWN_LOOPS = {"instructions", "branches", "loads", "stores", "cycles"}


def proofs_of(document, pmu):
    return {proof["check"]: proof for proof in document["proofs"] if proof["pmu"] == pmu}


class Prove(unittest.TestCase):
    def prove(self, name, pmus):
        """The proofs by PMU, and the calls that opened a counter of each PMU."""
        with Machine(name, all_events=True) as machine:
            result = machine.tacho("doctor", "--prove", "--json", timeout=300)
            self.assertIn(result.code, (0, 1), result.stderr)
            return ({pmu: proofs_of(result.json(), pmu) for pmu in (*pmus, "kernel")},
                    {pmu: machine.opened(pmu) for pmu in pmus}, result)

    def assert_each_pmu_is_proved_apart(self, name, pmus):
        proofs, opened, _ = self.prove(name, pmus)
        for pmu in pmus:
            with self.subTest(pmu):
                self.assertLessEqual(KNOWN_LOOPS, set(proofs[pmu]))
                # Not proved where a hypervisor takes the CPU while it counts.
                self.assertIn(proofs[pmu]["enabled time"]["outcome"], ("proved", "not proved"), proofs[pmu]["enabled time"])
                self.assertEqual(proofs[pmu]["instructions"]["outcome"], "failed", proofs[pmu]["instructions"])
                self.assertTrue(opened[pmu], "no counter of this PMU was opened")
                # 600 in 0.3 s. A period that suits a real counter would take a sample every 5 µs here.
                for check in ("sampled addresses", "precise addresses"):
                    taken = re.search(r" of (\d+) samples", proofs[pmu][check]["detail"])
                    if taken:
                        self.assertLess(int(taken[1]), 2_000, proofs[pmu][check])

    def test_a_hybrid_processor(self):
        self.assert_each_pmu_is_proved_apart("alder-lake", ["cpu_core", "cpu_atom"])

    def test_a_board_whose_generic_events_cannot_name_a_pmu(self):
        self.assert_each_pmu_is_proved_apart("big-little", ["armv8_cortex_a53", "armv8_cortex_a72"])

    def test_a_container_that_forbids_the_call(self):
        proofs, _, result = self.prove("container", [])
        self.assertEqual(result.code, 0)
        for proof in proofs["kernel"].values():
            self.assertEqual(proof["outcome"], "not proved", proof)
            self.assertIn("EPERM", proof["detail"])


if __name__ == "__main__":
    unittest.main()
