"""Boots a board, runs scripts on it over its serial line, and ends it.

    with boot(BOARDS["arm64"]) as board:
        result = board.run("tacho stat -- true")

agent.cpp describes the messages on the line. Everything else that the board prints is its console. Errors show the last
lines of the console.
"""
import base64
import collections
import dataclasses
import os
import pathlib
import select
import subprocess
import tempfile
import time
import zlib

import cache
import device_tree
import image
from errors import BoardError, LabError, TimeLimit

BOOT_LIMIT = 120.0  # seconds; a board takes 2 to 9 on an idle machine
RUN_LIMIT = 120.0
LAST_LINES = 50  # enough for a panic with its call trace

# A board needs no protection from attacks. With kernel page table isolation, each system call and interrupt of an arm64
# board would empty QEMU's TLB.
FASTER = "nokaslr mitigations=off init_on_alloc=0"


@dataclasses.dataclass
class Result:
    code: int    # the exit status, or 128 + the number of the signal that ended it
    stdout: str
    stderr: str


def qemu_command(board, folder, shell=False):
    """Returns QEMU's command line for a board whose files are in `folder`."""
    parts = cache.parts_of(board.architecture)
    kernel_words = [f"console={board.console} panic=-1 loglevel=5", FASTER, board.kernel_words, "lab.shell" if shell else ""]
    words = [board.architecture.qemu, "-M", board.machine, "-smp", board.cpus, "-m", board.memory,
             "-kernel", parts / "kernel", "-initrd", folder / "initramfs", "-append", " ".join(filter(None, kernel_words)),
             "-display", "none", "-nodefaults", "-no-reboot", "-serial", "mon:stdio" if shell else "stdio"]
    if not shell:
        words += ["-monitor", "none"]
    if board.cpu:
        words += ["-cpu", board.cpu]
    if board.icount_shift is not None:
        words += ["-icount", f"shift={board.icount_shift}"]
    if board.nodes > 1:
        for node in range(board.nodes):
            words += ["-object", f"memory-backend-ram,id=node{node},size={board.memory // board.nodes}M",
                      "-numa", f"node,nodeid={node},memdev=node{node}"]
        for cpu in range(board.cpus):
            place = f"socket-id=0,cluster-id=0,core-id={cpu},thread-id=0"
            words += ["-numa", f"cpu,node-id={cpu * board.nodes // board.cpus},{place}"]
    if board.changes_device_tree:
        words += ["-dtb", folder / "board.dtb"]
    if board.device_tree:
        words += ["-dtb", parts / board.device_tree]
    return list(map(str, words))


def prepare_files(board, folder, extra=()):
    image.make_initramfs(board, folder / "initramfs", extra)
    if board.changes_device_tree:
        device_tree.make_device_tree(board, folder / "board.dtb")


class boot:
    """A booted board, as a context manager."""

    def __init__(self, board, extra=()):
        self.board = board
        self._scratch = tempfile.TemporaryDirectory(prefix="tacho-lab-")
        folder = pathlib.Path(self._scratch.name)
        self._console = collections.deque(maxlen=LAST_LINES)
        self._partial = b""  # the beginning of a line that has not ended yet
        self._user = 0
        self._qemu = None
        try:
            prepare_files(board, folder, extra)
            command = qemu_command(board, folder)
            try:
                self._qemu = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                              stderr=subprocess.STDOUT, bufsize=0)
            except FileNotFoundError:
                raise LabError(f"{command[0]} is not installed\ninstall the lab's packages: packaging/setup lab") from None
            self._expect("ready", time.monotonic() + BOOT_LIMIT, f"boot within {BOOT_LIMIT:.0f} s")
        except OSError as error:
            self.close()
            raise LabError(f"{error.strerror}: {error.filename or folder}\nif {folder.parent} has no room, set TMPDIR to "
                           "another directory") from None
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self._qemu:
            self._qemu.kill()
            self._qemu.communicate()
        self._scratch.cleanup()

    def run(self, script, user=0, limit=RUN_LIMIT, show=None):
        """Runs a script in a shell on the board. With `show`, each piece of output goes to show(kind, bytes) at once."""
        until = time.monotonic() + limit
        if user != self._user:
            self._send("user", str(user))
            self._user = user
        self._send("run", script)
        printed = {"out": b"", "err": b""}
        while True:
            kind, payload = self._expect(("out", "err", "exit"), until, f"end this within {limit:.0f} s: {script}")
            if kind == "exit":
                return Result(int(payload), printed["out"].decode(errors="replace"),
                              printed["err"].decode(errors="replace"))
            if show:
                show(kind, payload)
            else:
                printed[kind] += payload

    def _send(self, kind, text):
        body = f"{kind} {base64.b64encode(text.encode()).decode()}"
        try:
            self._qemu.stdin.write(f"@lab {body} {zlib.crc32(body.encode()):08x}\n".encode())
        except BrokenPipeError:
            raise BoardError(f"the board {self.board.name} is gone", self._last_lines()) from None

    def _expect(self, kinds, until, what):
        """Returns the next message. Raises BoardError if it is of another kind."""
        while True:
            line = self._next_line(until, what)
            message = self._message(line)
            if message is None:
                self._console.append(line.decode(errors="replace").rstrip("\r"))
            elif message[0] in kinds:
                return message
            else:
                raise BoardError(f"the board {self.board.name} sent an unexpected '{message[0]}'", self._last_lines())

    def _next_line(self, until, what):
        while b"\n" not in self._partial:
            ready = select.select([self._qemu.stdout], [], [], max(0, until - time.monotonic()))[0]
            if not ready:
                raise TimeLimit(f"the board {self.board.name} did not {what}", self._last_lines())
            block = os.read(self._qemu.stdout.fileno(), 1 << 16)
            if not block:
                raise BoardError(f"the board {self.board.name} died: QEMU ended with {self._qemu.wait()}",
                                 self._last_lines())
            self._partial += block
            if len(self._partial) > 1 << 20:
                raise BoardError(f"the board {self.board.name} prints garbage: 1 MB without an end of line",
                                 repr(self._partial[-400:]))
        line, _, self._partial = self._partial.partition(b"\n")
        return line

    def _message(self, line):
        """Returns kind and payload of a message, or None if the line belongs to the console."""
        at = line.find(b"@lab ")
        if at < 0:
            return None
        body, _, crc = line[at + len("@lab "):].rpartition(b" ")
        if f"{zlib.crc32(body):08x}".encode() != crc:
            raise BoardError(f"a line from the board {self.board.name} is damaged: {line!r}", self._last_lines())
        if at > 0:  # the message interrupted a line of the kernel
            self._console.append(line[:at].decode(errors="replace"))
        kind, _, payload = body.partition(b" ")
        return kind.decode(), base64.b64decode(payload)

    def _last_lines(self):
        partial = [self._partial.decode(errors="replace")] if self._partial else []
        return "\n".join("  " + line for line in [*self._console, *partial])


def shell(board):
    """Runs a shell on the board, on this terminal. Returns QEMU's exit status."""
    with tempfile.TemporaryDirectory(prefix="tacho-lab-") as scratch:
        folder = pathlib.Path(scratch)
        prepare_files(board, folder)
        return subprocess.run(qemu_command(board, folder, shell=True)).returncode
