"""tacho doctor --prove on emulated boards: what QEMU's PMU has is proved, and nothing fails."""
import json
import unittest

from lab_case import LabCase, on, run


class Prove(LabCase):
    @on("arm64")
    def test_the_emulated_pmu_is_proved_as_far_as_it_goes(self, name):
        result = run(name, "tacho doctor --prove --json", limit=300)
        proofs = {proof["check"]: proof for proof in json.loads(result.stdout)["proofs"]
                  if proof["pmu"].startswith("armv8")}
        failed = [proof for proof in proofs.values() if proof["outcome"] == "failed"]
        self.assertEqual(failed, [])
        self.assertEqual(result.code, 0, result.stderr)
        for check in ("instructions", "counters at once", "fork", "attach", "enabled time"):
            self.assertEqual(proofs[check]["outcome"], "proved", proofs[check])
        # Six counters, beside that of the cycles, count copies of one event.
        counters = {figure["name"]: figure["measured"] for figure in proofs["counters at once"]["figures"]}
        self.assertEqual(counters["counters"], 6)
        # QEMU's cycles are nanoseconds of the board's time.
        self.assertEqual(proofs["cycles"]["outcome"], "not proved")
        self.assertIn("an emulator counts", proofs["cycles"]["detail"])


if __name__ == "__main__":
    unittest.main()
