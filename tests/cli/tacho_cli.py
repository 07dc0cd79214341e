"""What the command-line tests share: the programs under test, and one way to run tacho.

    result = run("stat", "--json", "-o", out, "--", example("naive"), "50")
    self.assertEqual(result.code, 0, result.stderr)
"""
import contextlib
import ctypes
import dataclasses
import errno
import json
import os
import pathlib
import platform
import pty
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unittest


# A shell starts its background jobs with these ignored, and workloads would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)


def _directory(variable, default):
    return pathlib.Path(os.environ.get(variable, default))


_ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = _directory("SOURCE", _ROOT)
BUILD = _directory("BUILD", _ROOT / "build" / "release")
EXAMPLES = _directory("EXAMPLES", BUILD / "examples")
WORKLOADS = _directory("WORKLOADS", BUILD / "tests" / "cli" / "workloads")
TACHO = _directory("TACHO", BUILD / "bin" / "tacho")
RPISTAT = TACHO.parent / "rpistat"  # tacho under its older name
SIMULATOR = _directory("TACHO_SIMULATOR_DIR", BUILD / "libexec" / "tacho" / "valgrind")


def _paranoid():
    try:
        return int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text())
    except OSError:
        return -1


# For tests of counts that an ordinary user is not allowed on many systems.
needs_kernel_counts = unittest.skipUnless(
    os.geteuid() == 0 or _paranoid() <= 0,
    f"kernel.perf_event_paranoid = {_paranoid()} does not let this user count kernel mode and CPUs: "
    "'sudo sysctl kernel.perf_event_paranoid=0' runs this test too")


def _can_mount():
    return shutil.which("unshare") and subprocess.run(
        ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], stderr=subprocess.DEVNULL).returncode == 0


needs_mount = unittest.skipUnless(_can_mount(), "mounting and unmounting need root and unshare")


def with_tracefs(*command, **options):
    """Runs a command where tracefs is mounted, whether or not it is elsewhere."""
    script = '[ -d /sys/kernel/tracing/events ] || mount -t tracefs nodev /sys/kernel/tracing; exec "$@"'
    return finish(start("-m", "sh", "-c", script, "sh", *command, program="unshare", **options))


def start_waiting(case, *command, threads):
    """The process number of a program that runs during the test case, when all its threads wait."""
    process = subprocess.Popen(command)
    case.addCleanup(process.wait)
    case.addCleanup(process.kill)
    tasks = pathlib.Path(f"/proc/{process.pid}/task")
    for _ in range(200):
        time.sleep(0.02)
        states = [(task / "stat").read_text().rpartition(")")[2].split()[0] for task in tasks.iterdir()]
        if len(states) == threads and set(states) == {"S"}:
            return process.pid
    return case.fail(f"the threads of {command} do not wait: {states}")


def without_proc(*command):
    """The words that run a command where /proc is not mounted."""
    return ["unshare", "-m", "sh", "-c", 'umount -l /proc && exec "$@"', "sh", *map(str, command)]


needs_simulator = unittest.skipUnless(
    list(SIMULATOR.glob("tacho-*")),
    f"tacho was built without its simulator: nothing in {SIMULATOR} (install valgrind, build anew)")


class Scratch(unittest.TestCase):
    """Tests each of which has a directory of its own."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = pathlib.Path(scratch.name)


@dataclasses.dataclass
class Result:
    """How tacho ended. code is negative when a signal killed tacho itself."""
    code: int
    stdout: str
    stderr: str

    def json(self):
        """stdout as JSON: for workloads that write nothing themselves."""
        return json.loads(self.stdout)


def example(name):
    return str(EXAMPLES / name)


def workload(name):
    return str(WORKLOADS / name)


def for_everyone(directory):
    """A copy of tacho and its data that any user may run: the checkout may be its owner's alone."""
    directory = pathlib.Path(directory, "public")
    shutil.copytree(TACHO.parent.parent / "share" / "tacho", directory / "share" / "tacho")
    (directory / "bin").mkdir()
    return pathlib.Path(shutil.copy(TACHO, directory / "bin"))


PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}.get(platform.machine())  # the call's number


def forbidding(call):
    """What makes a process (preexec_fn) as in a sandbox: the system call of this number gives EPERM from then on."""
    class Filter(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("program", ctypes.c_char_p)]
    code = b"".join(struct.pack("=HBBI", *each) for each in (
        (0x20, 0, 0, 0),             # the call's number
        (0x15, 0, 1, call),          # is it that?
        (0x06, 0, 0, 0x00050000 | errno.EPERM),
        (0x06, 0, 0, 0x7fff0000)))   # allowed
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, set_seccomp, by_filter = 38, 22, 2

    def forbid():
        libc.prctl(no_new_privileges, 1, 0, 0, 0)
        if libc.prctl(set_seccomp, by_filter, ctypes.byref(Filter(4, code)), 0, 0):
            raise OSError(ctypes.get_errno(), "no seccomp here")
    return forbid


def sanitized():
    """Whether tacho is built with the sanitizers, which need descriptors of their own."""
    return b"__asan_init" in TACHO.read_bytes()


def assert_pages(case, count, pages, few):
    """The page faults are those of so many pages, and at most a few more. The sanitizers have pages of their own."""
    if sanitized():
        case.assertGreaterEqual(count, pages)
        case.assertLess(count, 1.3 * pages + 10_000)
    else:
        case.assertAlmostEqual(count, pages, delta=few)


def start(*args, env=None, program=None, **popen):
    """Starts tacho (or another program) with these arguments in a session of its own, and returns the Popen.

    env is added to the environment; a value of None takes a variable out. The rest goes to Popen
    (stdin, preexec_fn, cwd, …). stdout and stderr are pipes of text unless told otherwise.
    """
    environment = {**os.environ, "LC_ALL": "C.UTF-8", **(env or {})}
    environment = {name: value for name, value in environment.items() if value is not None}
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
               "text": True, "errors": "surrogateescape", "start_new_session": True, **popen}
    return subprocess.Popen([str(program or TACHO), *map(str, args)], env=environment, **options)


def session_members(session):
    """The pids of all processes of a session, tacho's own being that of start()'s pid."""
    members = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] != "Z":
                members.append(int(stat.parent.name))
    return members


def finish(process, stdin=None, timeout=30):
    """Waits for a started tacho. After `timeout` seconds its session is killed and the test fails."""
    try:
        out, err = process.communicate(stdin, timeout=timeout)
    except subprocess.TimeoutExpired:
        for pid in session_members(process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()  # not communicate: a workload that left the session may hold the pipes open
        raise AssertionError(f"still running after {timeout} s: {process.args}") from None
    return Result(process.returncode, out or "", err or "")


def run(*args, stdin=None, env=None, timeout=30, **popen):
    """Runs tacho to its end; stdin is text for its standard input."""
    if stdin is not None:
        popen["stdin"] = subprocess.PIPE
    return finish(start(*args, env=env, **popen), stdin, timeout)


def on_terminal(*args, columns=80):
    """Runs tacho on a terminal of this width, without colours and a pager: what the terminal shows."""
    controller, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (24, columns))
    tacho = start(*args, stdout=terminal, stderr=subprocess.DEVNULL, env={"PAGER": "cat", "NO_COLOR": "1"})
    os.close(terminal)
    shown = b""
    with contextlib.suppress(OSError):  # EIO: the terminal's other end was closed
        while more := os.read(controller, 65536):
            shown += more
    os.close(controller)
    assert tacho.wait() == 0, shown
    return shown.decode().replace("\r", "")


def unwrapped(text):
    """The text in one line: paragraphs break anywhere."""
    return " ".join(text.split())


def stat_json(directory, *args, **options):
    """`tacho stat --json -o FILE ARGS`: the Result and the document of FILE, made in `directory`."""
    out = pathlib.Path(directory) / "stat.json"
    result = run("stat", "--json", "-o", out, *args, **options)
    return result, json.loads(out.read_text()) if out.exists() else None


def event(document, name):
    """The entry of one event in a stat document; an event that is missing fails the test."""
    found = [entry for entry in document["events"] if entry["name"] == name]
    assert len(found) == 1, f"{name} is there {len(found)} times in {[e['name'] for e in document['events']]}"
    return found[0]
