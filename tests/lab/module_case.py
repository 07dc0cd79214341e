"""Shared by the tests of the kernel module: load it on a board, read its status, read counters from user space."""
import re

from lab_case import BOARDS, UNLOADED, LabCase, run

MODULE = "/opt/tacho/modules/tacho_pmu.ko"
# /proc/sys/kernel/tainted: an out-of-tree module adds 4096, an unsigned one 8192, a warning 512, an oops 128.
TAINTED_BY_LOADING = 4096 + 8192


def cpus(name):
    return list(range(BOARDS[name].cpus))


class ModuleCase(LabCase):
    def load(self, name, parameters=""):
        self.addCleanup(run, name, UNLOADED)
        result = run(name, f"dmesg -c >/dev/null; insmod {MODULE} {parameters}")
        self.assertEqual(result.code, 0, result.stderr)

    def unload(self, name):
        result = run(name, "rmmod tacho_pmu")
        self.assertEqual(result.code, 0, result.stderr)

    def refused(self, name, parameters=""):
        """Tries to load the module, which must fail. Returns the messages of insmod and the kernel."""
        result = run(name, f"dmesg -c >/dev/null; insmod {MODULE} {parameters} && exit 99; dmesg >&2; exit 1")
        self.assertEqual(result.code, 1, "it was loaded")
        return result.stderr

    def reads(self, name, before=":"):
        """Returns the result of a user's read of the cycle counter on each CPU: counts, frozen, SIGILL or offline."""
        return [line.split()[1] for line in self.looks(name, before)]

    def looks(self, name, before=":"):
        words = " ".join(map(str, cpus(name)))
        result = run(name, f"{before}\nread_cycles {words}")
        self.assertEqual(result.code, 0, result.stderr)
        return result.stdout.splitlines()[-len(cpus(name)):]

    def status(self, name, **options):
        return parsed(run(name, "cat /proc/tacho_pmu", **options).stdout)

    def assert_no_complaint(self, name):
        """Asserts that the kernel has printed no warning and no oops since the board was booted."""
        tainted, _, log = run(name, "cat /proc/sys/kernel/tainted; dmesg").stdout.partition("\n")
        self.assert_clean(tainted, log)

    def assert_clean(self, tainted, log):
        self.assertEqual(int(tainted) & ~TAINTED_BY_LOADING, 0, log)
        self.assertNotRegex(log, r"BUG:|WARNING:|Oops|Unable to handle")


def parsed(text):
    """Returns a status as a dictionary; "cpus" holds a dictionary for each CPU."""
    lines = [line.split() for line in text.splitlines()]
    found = {words[0]: words[1] for words in lines if words[0] != "cpu"}
    found["cpus"] = [dict(word.split("=") for word in words[2:]) for words in lines if words[0] == "cpu"]
    return found


def disturbed(status):
    return [int(cpu["disturbed"]) for cpu in status["cpus"]]


def states(status):
    return [cpu["state"] for cpu in status["cpus"]]


def log_of(name, words):
    """Returns the module's lines in the kernel log that match, since the last load."""
    return re.findall(rf"tacho_pmu: (.*{words}.*)", run(name, "dmesg").stdout)
