"""What the tests of `tacho latency` share."""
import json
import os

from tacho_cli import Scratch, finish, run, start


def latency(*args, timeout=120, **options):
    return run("latency", *args, timeout=timeout, **options)


class LatencyCase(Scratch):
    def document(self, *args, **options):
        result = latency("--json", *args, **options)
        self.assertEqual(result.code, 0, result.stderr)
        return json.loads(result.stdout)

    def refused(self, args, what, remedy, **options):
        result = latency(*args, cwd=self.directory, **options)
        self.assertEqual((result.code, result.stdout), (125, ""), result.stderr)
        self.assertEqual(result.stderr.count("tacho: error: "), 1, result.stderr)
        error, _, rest = result.stderr.partition("\n")
        self.assertIn(what, error)
        self.assertIn(remedy, rest)

    def interrupted(self, number, *args, when=b" s left"):
        """A measurement that gets a signal as soon as its progress says so: how much time is left, mostly."""
        terminal, other_end = os.openpty()
        self.addCleanup(os.close, terminal)
        process = start("latency", *args, stderr=other_end)
        os.close(other_end)
        seen = b""
        while when not in seen:
            seen += os.read(terminal, 4096)
        process.send_signal(number)
        return finish(process, timeout=60)
