"""tacho doctor --prove on emulated boards: what QEMU's PMU has is proved, and nothing fails."""
import json
import unittest

from lab_case import LOADED, LabCase, on, run


class Prove(LabCase):
    def proofs(self, name, before=":"):
        """The proofs of the cores' PMU by check, none of which failed."""
        result = run(name, f"{before}\ntacho doctor --prove --json", limit=300)
        proofs = json.loads(result.stdout)["proofs"]
        self.assertEqual([proof for proof in proofs if proof["outcome"] == "failed"], [])
        self.assertEqual(result.code, 0, result.stderr)
        return {proof["check"]: proof for proof in proofs if proof["pmu"] != "kernel"}

    def assert_proved(self, proofs, *checks):
        for check in checks:
            self.assertEqual(proofs[check]["outcome"], "proved", proofs[check])

    @on("arm64")
    def test_the_emulated_pmu_is_proved_as_far_as_it_goes(self, name):
        proofs = self.proofs(name, LOADED)
        self.assert_proved(proofs, "instructions", "counters at once", "fork", "attach", "sampled addresses",
                           "enabled time", "ARM registers")
        # Six counters, beside that of the cycles, count copies of one event.
        counters = {figure["name"]: figure["measured"] for figure in proofs["counters at once"]["figures"]}
        self.assertEqual(counters["counters"], 6)
        # QEMU's cycles are nanoseconds of the board's time, and it counts no branches.
        self.assertEqual(proofs["cycles"]["outcome"], "not proved")
        self.assertIn("an emulator counts", proofs["cycles"]["detail"])
        self.assertIn("ENOENT", proofs["branches"]["detail"])

    @on("arm64-smp")
    def test_a_thread_reads_its_registers_on_two_cpus(self, name):
        self.assert_proved(self.proofs(name), "moves by registers", "moves by calls")


if __name__ == "__main__":
    unittest.main()
