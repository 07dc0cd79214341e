"""Branch stacks whose truth is known: a program is stepped instruction by instruction, and what a
processor would have recorded of its taken branches is written as a recording in perf's format.

    program = build(directory, "walk")                 # see SOURCE; PIE: build(…, pie=True)
    trace = step(program)                              # [Taken(source, target, instructions)]
    recording = Recording()
    recording.process(pid, trace.mappings)
    recording.stacks(pid, trace.stacks(every=5, depth=32))
    path.write_bytes(recording.bytes())
"""
import ctypes
import dataclasses
import os
import platform
import re
import shutil
import signal
import struct
import subprocess
import unittest

SOURCE = """
static unsigned char table[256];
static volatile unsigned sink;
__attribute__((noinline)) unsigned leaf(unsigned x) { return x % 3 == 0 ? x * 7 : x + 1; }
static inline __attribute__((always_inline)) unsigned twist(unsigned x) {
  return (x << 3) ^ (x >> 5);
}
__attribute__((noinline)) unsigned never_called(unsigned x) { return x / 3; }
__attribute__((noinline)) unsigned inner(unsigned times) {
  unsigned sum = 1;
  for (unsigned i = 0; i < times; ++i) {
    if (table[i & 255] & 1)
      sum = sum * 5 + i;
    else
      sum ^= twist(sum);
  }
  return sum;
}
__attribute__((noinline)) unsigned outer(unsigned rounds) {
  unsigned sum = 0;
  for (unsigned i = 0; i < rounds; ++i)
    sum += inner(2 + i % 9) + leaf(i);
  return sum;
}
void _start(void) {
  unsigned x = 1;
  for (unsigned i = 0; i < 256; ++i) {
    x = x * 1103515245 + 12345;
    table[i] = x >> 16;
  }
  sink = outer(20);
  if (sink == 12345)
    sink = never_called(sink);
  __asm__ volatile("xor %edi, %edi; mov $60, %eax; syscall");
  __builtin_unreachable();
}
"""

needs_stepping = unittest.skipUnless(
    platform.machine() == "x86_64" and shutil.which("gcc") and shutil.which("objdump"),
    "programs are stepped on x86-64 only, with gcc and objdump")


def build(directory, name, pie=False, flags=()):
    source = directory / f"{name}.c"
    if not source.exists():
        source.write_text(SOURCE)
    program = directory / (name + ("-pie" if pie else ""))
    subprocess.run(["gcc", "-g", "-O2", "-nostdlib", "-fno-stack-protector", "-Wl,--build-id", *flags,
                    "-static-pie" if pie else "-static", "-fPIE" if pie else "-fno-pie",
                    "-o", program, source], check=True)
    return program


def build_id(program):
    notes = subprocess.run(["readelf", "-n", program], capture_output=True, text=True, check=True).stdout
    return bytes.fromhex(re.search(r"Build ID: ([0-9a-f]+)", notes).group(1))


def instructions_behind(program):
    """For the address of each instruction, as the file has it, that of the next one."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True, check=True)
    addresses = [int(found, 16) for found in re.findall(r"^ +([0-9a-f]+):\t", text.stdout, re.M)]
    return dict(zip(addresses, addresses[1:]))


@dataclasses.dataclass(frozen=True)
class Taken:
    source: int
    target: int
    instructions: int  # executed since the branch before, with this one


@dataclasses.dataclass(frozen=True)
class Mapping:
    start: int
    length: int
    offset: int
    path: str
    build_id: bytes = b""


@dataclasses.dataclass(frozen=True)
class Trace:
    taken: list
    mappings: list
    bias: int  # what the processor's addresses are beyond the file's

    def cycles(self, index):
        """Made up, and never 0."""
        return self.taken[index].instructions + index % 4

    def stacks(self, every, depth):
        """Stacks as a processor keeps them, newest first: [[(from, to, cycles, mispredicted)]]."""
        def entry(index):
            branch = self.taken[index]
            return branch.source, branch.target, self.cycles(index), index % 7 == 0
        return [[entry(i) for i in range(end - 1, max(0, end - depth) - 1, -1)]
                for end in range(2, len(self.taken) + 1, every)]


_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.restype = ctypes.c_long
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
TRACEME, PEEKUSER, STEP, RIP = 0, 3, 9, 16 * 8


def _start_traced(program):
    pid = os.fork()
    if pid == 0:
        try:
            if _libc.ptrace(TRACEME, 0, None, None) == 0:
                os.execv(program, [str(program)])
        finally:
            os._exit(99)
    _, status = os.waitpid(pid, 0)
    if not os.WIFSTOPPED(status):
        raise unittest.SkipTest("this system does not let a process be traced (ptrace)")
    return pid


def step(program):
    behind = instructions_behind(program)
    pid = _start_traced(program)
    mappings = []
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
        for line in maps:
            span, rights, offset, _, _, *path = line.split()
            start, end = (int(part, 16) for part in span.split("-"))
            if "x" in rights and path and path[0] == str(program):
                mappings.append(Mapping(start, end - start, int(offset, 16), path[0], build_id(program)))
    at = _libc.ptrace(PEEKUSER, pid, RIP, None)
    headers = subprocess.run(["readelf", "-h", program], capture_output=True, text=True, check=True).stdout
    bias = at - int(re.search(r"Entry point address: +0x([0-9a-f]+)", headers).group(1), 16)
    taken, since = [], 0
    while True:
        _libc.ptrace(STEP, pid, None, None)
        _, status = os.waitpid(pid, 0)
        if not os.WIFSTOPPED(status) or os.WSTOPSIG(status) != signal.SIGTRAP:
            break
        now = _libc.ptrace(PEEKUSER, pid, RIP, None)
        since += 1
        if now - bias != behind.get(at - bias):
            taken.append(Taken(at, now, since))
            since = 0
        at = now
    return Trace(taken, mappings, bias)


MMAP2, COMM, FORK, SAMPLE = 10, 3, 7, 9
IP, TID, TIME, BRANCH_STACK = 1, 2, 4, 2048
USER, EXEC, BUILD_ID = 2, 1 << 13, 1 << 14
ANY_BRANCH = 8


class Recording:
    """perf.data, little-endian, of one event."""

    def __init__(self, branch_type=ANY_BRANCH, sample_type=IP | TID | TIME | BRANCH_STACK, period=1000):
        self.data, self.time = b"", 1000
        self.branch_type, self.sample_type, self.period = branch_type, sample_type, period

    def record(self, kind, misc, body):
        self.data += struct.pack("<IHH", kind, misc, 8 + len(body)) + body

    def trailer(self, pid):
        self.time += 10
        return struct.pack("<II", pid, pid) + self.now()

    def now(self):
        return struct.pack("<Q", self.time) if self.sample_type & TIME else b""

    def process(self, pid, mappings, name="walk"):
        """It begins, by exec."""
        text = name.encode().ljust(16, b"\0")
        self.record(COMM, USER | EXEC, struct.pack("<II", pid, pid) + text + self.trailer(pid))
        for mapping in mappings:
            self.map(pid, mapping)

    def map(self, pid, mapping):
        path = mapping.path.encode()
        path += bytes(8 - len(path) % 8)
        # Of a build-id its size and 20 bytes stand where the device and the inode do.
        file = (struct.pack("<B3x20s", len(mapping.build_id), mapping.build_id) if mapping.build_id
                else struct.pack("<IIQQ", 8, 1, 1, 0))
        body = struct.pack("<IIQQQ", pid, pid, mapping.start, mapping.length, mapping.offset)
        self.record(MMAP2, USER | (BUILD_ID if mapping.build_id else 0),
                    body + file + struct.pack("<II", 5, 2) + path + self.trailer(pid))

    def sample(self, pid, entries):
        self.time += 10
        ip = entries[0][1] if entries else 0x1000
        body = struct.pack("<QII", ip, pid, pid) + self.now()
        if self.sample_type & BRANCH_STACK:
            body += struct.pack("<Q", len(entries))
            for source, target, cycles, mispredicted in entries:
                body += struct.pack("<QQQ", source, target, cycles << 4 | (1 if mispredicted else 2))
        self.record(SAMPLE, USER, body)

    def stacks(self, pid, stacks):
        for entries in stacks:
            self.sample(pid, entries)

    def bytes(self):
        attr = struct.pack("<II4QQQ", 0, 112, 0, self.period, self.sample_type, 0, 1 << 18 | 1 << 23, 0)
        attr += struct.pack("<QQQ", 0, 0, self.branch_type)
        entry = attr.ljust(112, b"\0") + struct.pack("<QQ", 104, 0)
        header = b"PERFILE2" + struct.pack("<8Q", 104, len(entry), 104, len(entry), 104 + len(entry), len(self.data), 0, 0)
        return header.ljust(104, b"\0") + entry + self.data
