"""Sampling by the overflow of hardware counters: under QEMU's icount it is known how often a loop's instructions
overflow, and where the processor is then."""
import base64
import pathlib
import struct
import subprocess
import sys
import unittest

from lab_case import BOARDS, LabCase, on, run

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

from perf_data import SAMPLE, records  # noqa: E402

WORDS = 40
INSTRUCTIONS = 2_000_000 * WORDS  # see counted_loop.S
LOOP = "counted_loop" + " x" * (WORDS - 1)


class Sampling(LabCase):
    def recording(self, name, arguments, command):
        """The bytes of what `tacho record` writes on a board."""
        result = run(name, f"tacho record -q -o /tmp/perf.data {arguments} -- {command} >/tmp/out; code=$?\n"
                           "base64 /tmp/perf.data; exit $code")
        self.assertEqual(result.code, 0, result.stderr)
        return base64.b64decode(result.stdout)

    def samples(self, recording):
        """The instruction pointer of each sample of a recording of one event."""
        return [struct.unpack_from("<Q", body)[0] for kind, _, body in records(recording) if kind == SAMPLE]

    @on("arm64", "armv7")
    def test_cycles_overflow_as_often_as_the_boards_clock_says(self, name):
        period = 500_000
        samples = self.samples(self.recording(name, f"-e cycles:u -c {period}", LOOP))
        cycles = INSTRUCTIONS * 2 ** BOARDS[name].icount_shift
        self.assertAlmostEqual(len(samples), cycles / period, delta=1)
        # In the loop's two instructions, 4 bytes each, or where they return to from an interrupt.
        self.assertLessEqual(max(samples) - min(samples), 4 * 2)

    @on("arm64", "armv7")
    def test_instructions_overflow_as_often_as_the_loop_has_them(self, name):
        """QEMU notices their overflow at the timer's next tick only, in the kernel: a period longer than that, then."""
        period = 5_000_000
        samples = self.samples(self.recording(name, f"-e instructions:u -c {period}", LOOP))
        self.assertAlmostEqual(len(samples), INSTRUCTIONS / period, delta=1)

    @on("arm64")
    def test_more_events_than_counters_are_told(self, name):
        for events, told in (("instructions:u,cycles:u", False),  # of seven counters
                             ("instructions,instructions:u,instructions:k,cycles,cycles:u,cycles:k,r8,r8:u,r8:k,r11", True)):
            result = run(name, f"tacho record -o /tmp/perf.data -e {events} -c 10000000 -- {LOOP}")
            self.assertEqual(result.code, 0, result.stderr)
            self.assertEqual("% of the time only: there are too few counters" in result.stderr, told, result.stderr)


if __name__ == "__main__":
    unittest.main()
