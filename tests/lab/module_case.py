"""What the tests of the kernel module share: loading it on a board, its status, and user reads of counters."""
import re

from lab_case import BOARDS, UNLOADED, LabCase, run

MODULE = "/opt/tacho/modules/tacho_pmu.ko"
# /proc/sys/kernel/tainted of a module from outside, unsigned: 4096 and 8192. A warning adds 512, an oops 128.
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
        """What insmod and the kernel say of a load that fails."""
        result = run(name, f"dmesg -c >/dev/null; insmod {MODULE} {parameters} && exit 99; dmesg >&2; exit 1")
        self.assertEqual(result.code, 1, "it was loaded")
        return result.stderr

    def reads(self, name, before=":"):
        """What each CPU says to a user's read of the cycle counter: counts, frozen, SIGILL or offline."""
        return [line.split()[1] for line in self.looks(name, before)]

    def looks(self, name, before=":"):
        words = " ".join(map(str, cpus(name)))
        result = run(name, f"{before}\nread_cycles {words}")
        self.assertEqual(result.code, 0, result.stderr)
        return result.stdout.splitlines()[-len(cpus(name)):]

    def status(self, name, **options):
        return parsed(run(name, "cat /proc/tacho_pmu", **options).stdout)

    def assert_no_complaint(self, name):
        """Neither a warning nor an oops since the board was booted."""
        tainted, _, log = run(name, "cat /proc/sys/kernel/tainted; dmesg").stdout.partition("\n")
        self.assert_clean(tainted, log)

    def assert_clean(self, tainted, log):
        self.assertEqual(int(tainted) & ~TAINTED_BY_LOADING, 0, log)
        self.assertNotRegex(log, r"BUG:|WARNING:|Oops|Unable to handle")


def parsed(text):
    """A status: its keys, and under "cpus" those of each CPU."""
    lines = [line.split() for line in text.splitlines()]
    found = {words[0]: words[1] for words in lines if words[0] != "cpu"}
    found["cpus"] = [dict(word.split("=") for word in words[2:]) for words in lines if words[0] == "cpu"]
    return found


def disturbed(status):
    return [int(cpu["disturbed"]) for cpu in status["cpus"]]


def states(status):
    return [cpu["state"] for cpu in status["cpus"]]


def log_of(name, words):
    """The kernel's lines about the module that match, since the last load."""
    return re.findall(rf"tacho_pmu: (.*{words}.*)", run(name, "dmesg").stdout)
