"""Small inputs that are made to take much memory or time: each is a function of a size. bomb.files(directory) writes
the files, bomb.command(directory) has the arguments of tacho."""
import dataclasses
import pathlib
import struct
import sys

from made_up_elf import ADDRESS as CODE_ADDRESS, elf, recording as recording_of
from recording import (BRANCH_STACK, CALLCHAIN, ID, IP, PERIOD, TID, TIME, USER_MARK, attr, build_id, command, fork, mapping, record,
                       recording, sample, stream)

APP = command(100, 100, "app", True)


@dataclasses.dataclass
class Bomb:
    make: object           # (directory, tacho): writes the files, returns the bytes that tacho reads
    arguments: list        # DIR stands for the directory
    says: str = ""         # what tacho must say about what it left out

    def command(self, directory):
        return [word.replace("DIR", str(directory)) for word in self.arguments]


def _written(directory, whole, name="perf.data"):
    pathlib.Path(directory, name).write_bytes(whole)
    return len(whole)


def file_of(make, *sizes):
    return lambda directory, tacho: _written(directory, make(*sizes))


def forks(maps, children):
    """Each child begins with all mappings of its parent, and adds one."""
    parts = [APP] + [mapping(100, 0x400000 + i * 0x1000, 0x1000, "a") for i in range(maps)]
    for child in range(1000, 1000 + children):
        parts += [fork(child, 100), mapping(child, 0x300000, 0x1000, "b")]
    return recording(b"".join(parts) + sample(0x400000))


def fork_chain(maps, depth):
    """Each process begins the next one, and adds a mapping in the middle."""
    parts = [APP] + [mapping(100, 0x400000 + i * 0x1000, 0x1000, "a") for i in range(maps)]
    for child in range(101, 101 + depth):
        parts += [fork(child, child - 1), mapping(child, 0x400000 + child * 7919 % maps * 0x1000, 0x800, "b")]
    return recording(b"".join(parts) + sample(0x400000))


def build_ids(modules):
    """No build ID is of any module."""
    parts = [APP] + [mapping(100, 0x400000 + i * 0x1000, 0x1000, f"/m{i:06}") for i in range(modules)]
    section = b"".join(build_id(f"/m{i:06}x", b"\1" * 20) for i in range(modules))
    return recording(b"".join(parts) + sample(0x400000), {2: section})


def build_ids_between(modules):
    """The same, with a sample after each new module."""
    parts = [APP]
    for i in range(modules):
        parts += [mapping(100, 0x400000 + i * 0x1000, 0x1000, f"/m{i:06}"), sample(0x400000 + i * 0x1000)]
    section = b"".join(build_id(f"/m{i:06}x", b"\1" * 20) for i in range(modules))
    return recording(b"".join(parts), {2: section})


def threads(count):
    parts = [APP, mapping(100, 0x400000, 0x100000, "/nope")]
    for tid in range(101, 101 + count):
        parts += [fork(100, 100, tid, 100), command(100, tid, f"t{tid}"), sample(0x400000, 100, tid, 1000 + tid)]
    return recording(b"".join(parts))


def processes(count):
    return recording(b"".join(sample(0x400000, pid, pid, 1000 + pid) for pid in range(count)))


def deep_stacks(samples, depth=127):
    """No two chains share a caller."""
    chains = [[USER_MARK] + [0x400000 + (i * 131 + j * 65537) % 0x3fffffff for j in range(depth)] for i in range(samples)]
    parts = [APP, mapping(100, 0x400000, 0x40000000, "/nope")]
    parts += [sample(0x400000, time=1000 + i, chain=chain) for i, chain in enumerate(chains)]
    return recording(b"".join(parts), attrs=[attr(IP | TID | TIME | PERIOD | CALLCHAIN)])


def branches(samples, entries=1000):
    """No two branches are the same."""
    parts = [APP, mapping(100, 0x400000, 0x40000000, "/nope")]
    for i in range(samples):
        steps = [(i * entries + j) * 48271 % 0x3fffff00 + 0x400000 for j in range(entries)]
        stack = b"".join(struct.pack("<3Q", step + 64, before, 1 << 4) for before, step in zip(steps, steps[1:]))
        plain = sample(0x400000, time=1000 + i)
        parts.append(record(9, 2, plain[8:] + struct.pack("<Q", entries - 1) + stack))
    kind = bytearray(attr(IP | TID | TIME | PERIOD | 2048)).ljust(80, b"\0")
    struct.pack_into("<I", kind, 4, 80)
    struct.pack_into("<Q", kind, 72, 8)
    return recording(b"".join(parts), attrs=[bytes(kind)])


def events_and_threads(events, count):
    """Each thread has a sample of the last event only."""
    kind = bytearray(attr(IP | TID | TIME | PERIOD | ID))
    kind[42] |= 1 << 2  # sample_id_all: other records end in pid, tid, time and ID

    def ended(whole, time):
        return record(*struct.unpack_from("<IH", whole), whole[8:] + struct.pack("<iiQQ", 100, 100, time, 1))
    parts = [ended(APP, 0), ended(mapping(100, 0x400000, 0x100000, "/nope"), 0)]
    for tid in range(101, 101 + count):
        parts += [ended(fork(100, 100, tid, 100), tid), sample(0x400000, 100, tid, tid, event=events)]
    return recording(b"".join(parts), attrs=[bytes(kind)] * events, ids=[[i + 1] for i in range(events)])


def events_at_places(events, samples):
    """Each sample is at a place of its own; the events take turns."""
    parts = [APP, mapping(100, 0x400000, 0x40000000, "/nope")]
    parts += [sample(0x400000 + i * 16, time=1000 + i, period=5, event=i % events + 1) for i in range(samples)]
    kind = attr(IP | TID | TIME | PERIOD | ID)
    return recording(b"".join(parts), attrs=[kind] * events, ids=[[i + 1] for i in range(events)])


def _unmixed(word):
    """The inverse of splitmix64's finalizer."""
    mask = (1 << 64) - 1
    for shift, factor in ((31, 0x94d049bb133111eb), (27, 0xbf58476d1ce4e5b9), (30, 1)):
        whole = word
        for _ in range(64 // shift):
            whole = word ^ whole >> shift
        word = whole * pow(factor, -1, 1 << 64) & mask
    return word


def colliding(samples):
    """Addresses that all had one place in a table of hashes, when the hash was the same in each run."""
    return recording(APP + b"".join(sample(_unmixed(i << 24), time=1 + i) for i in range(samples)))


def long_name(forks_of_it):
    """A process's name of 60 kB, which each of its children takes over."""
    parts = [command(100, 100, b"n" * 60000)]
    parts += [fork(pid, 100) for pid in range(101, 101 + forks_of_it)] + [sample(0x400000, 100 + forks_of_it)]
    return recording(b"".join(parts))


def compressed(blocks):
    """COMPRESSED records whose zstd blocks are of one byte each, repeated 128 KiB times. Read as records, they have a
    type and a size of that byte."""
    block = struct.pack("<I", 1 << 17 << 3 | 1 << 1)[:3] + b"\x01"       # RLE, not the last one
    whole = b"\x28\xb5\x2f\xfd" + b"\x00\x70" + block * blocks           # no size of the content; window of 16 MiB
    return stream(b"".join(record(81, 0, whole[at:at + 60000]) for at in range(0, len(whole) // 8 * 8, 60000)))


def tracing_data(events, times):
    """Names of tracepoints, again and again, while no event gets one."""
    each = struct.pack("<IIQQQQQ", 2, 64, 7, 1, IP | TID | TIME | PERIOD, 0, 0).ljust(64, b"\0")
    inside = struct.pack("<I", 4) + bytes(4)
    return stream(record(66, 0, inside) * times + sample(1), [each] * events)


def pieces(events):
    """Two files that are read as one recording, all of whose events look alike."""
    whole = recording(APP + sample(0x400000, event=1), attrs=[attr(IP | TID | TIME | PERIOD | ID)] * events,
                      ids=[[i + 1] for i in range(events)])
    return lambda directory, tacho: _written(directory, whole) + _written(directory, whole, "perf.data.1")


def spellings(count):
    """One big file, under many names."""
    def make(directory, tacho):
        parts = [APP]
        for i in range(count):
            path = "/" + "./" * i + str(tacho).lstrip("/")
            parts += [mapping(100, 0x400000 + i * 0x1000, 0x1000, path, 0x1000), sample(0x400000 + i * 0x1000)]
        return _written(directory, recording(b"".join(parts))) + pathlib.Path(tacho).stat().st_size
    return make


def perf_map(lines):
    """A map whose lines lie over each other."""
    def make(directory, tacho):
        pathlib.Path(directory, "tmp").mkdir(exist_ok=True)
        rows = "".join(f"{0x10000 + i:x} {2 * (lines - i):x} f{i}\n" for i in range(lines))
        rows += "".join(f"10000 {i + 1:x} g{i}\n" for i in range(lines))
        parts = [APP, mapping(100, 0x10000, 0x1000000, "//anon")] + [sample(0x10000 + i) for i in range(100)]
        return _written(directory, rows.encode(), "tmp/perf-100.map") + _written(directory, recording(b"".join(parts)))
    return make


def jitdump(functions, children):
    """Many processes with the code of one file, each at the end of its time."""
    def make(directory, tacho):
        pathlib.Path(directory, "tmp").mkdir(exist_ok=True)
        code = b"\xc3" * 8
        rows = struct.pack("<IIIIIIQQ", 0x4a695444, 1, 40, 62, 0, 100, 0, 0)
        for i in range(functions):
            body = struct.pack("<IIQQQQ", 100, 100, 0x10000 + i * 16, 0x10000 + i * 16, len(code), i) + b"f\0" + code
            rows += struct.pack("<IIQ", 0, 16 + len(body), 10 + i) + body
        clock = bytearray(attr(IP | TID | TIME | PERIOD))
        clock[40:48] = struct.pack("<Q", struct.unpack_from("<Q", clock, 40)[0] | 1 << 25)  # use_clockid
        clock = bytes(clock).ljust(96, b"\0")
        clock = clock[:4] + struct.pack("<I", 96) + clock[8:92] + struct.pack("<i", 1)      # CLOCK_MONOTONIC
        parts = [APP, mapping(100, 0x10000, 0x1000000, "//anon"), mapping(100, 0x1000, 0x1000, "/tmp/jit-100.dump")]
        parts += [fork(pid, 100) for pid in range(1000, 1000 + children)]
        parts += [sample(0x10000, pid, time=10 + functions) for pid in range(1000, 1000 + children)]
        whole = recording(b"".join(parts), attrs=[clock])
        return _written(directory, rows, "tmp/jit-100.dump") + _written(directory, whole)
    return make


def large_compiled_function(size):
    """One function of a JIT compiler, whose instructions have one byte each, with a sample at every 4096th."""
    def make(directory, tacho):
        pathlib.Path(directory, "tmp").mkdir(exist_ok=True)
        body = struct.pack("<IIQQQQ", 100, 100, 0x400000, 0x400000, size, 1) + b"f\0" + b"\x90" * size
        dump = struct.pack("<IIIIIIQQ", 0x4a695444, 1, 40, 62, 0, 100, 0, 0)
        dump += struct.pack("<IIQ", 0, 16 + len(body), 1) + body
        parts = [APP, mapping(100, 0x400000, 0x40000000, "//anon"), mapping(100, 0x1000, 0x1000, "/tmp/jit-100.dump")]
        parts += [sample(0x400000 + at, time=1000 + at) for at in range(0, size, 4096)]
        return _written(directory, dump, "tmp/jit-100.dump") + _written(directory, recording(b"".join(parts)))
    return make


def large_function(size):
    """The same of a program."""
    def make(directory, tacho):
        program = elf(pathlib.Path(directory, "app"), code=b"\x90" * (size - 1) + b"\xc3")
        recording_of(pathlib.Path(directory, "perf.data"), program, range(0, size, 4096))
        return sum(pathlib.Path(directory, name).stat().st_size for name in ("app", "perf.data"))
    return make


def runs_over_each_other(code, entries, samples):
    """Each run begins somewhere in a function of instructions of two bytes, and ends at the function's end."""
    def make(directory, tacho):
        program = elf(pathlib.Path(directory, "app"), code=b"\x75\x00" * (code // 2) + b"\xc3")
        parts = [APP, mapping(100, CODE_ADDRESS, 0x1000000, str(program), 0x1000)]
        for i in range(samples):
            starts = [CODE_ADDRESS + (i * entries + j) * 48271 % (code // 2) * 2 for j in range(entries)]
            body = struct.pack("<QiiQ", CODE_ADDRESS, 100, 100, 1000 + i) + struct.pack("<Q", entries)
            body += b"".join(struct.pack("<QQQ", CODE_ADDRESS + code, start, 9 << 4) for start in starts)
            parts.append(record(9, 2, body))
        kind = bytearray(attr(IP | TID | TIME | BRANCH_STACK))
        kind += bytes(96 - len(kind))
        struct.pack_into("<I", kind, 4, 96)
        struct.pack_into("<Q", kind, 72, 8)  # branch_sample_type: any
        whole = recording(b"".join(parts), attrs=[bytes(kind)])
        return _written(directory, whole) + pathlib.Path(program).stat().st_size
    return make


def _directory_written(directory, part, parts):
    """Writes a directory of perf with the same records in each part. Returns the bytes of its files."""
    folder = pathlib.Path(directory, "perf.data")
    folder.mkdir(exist_ok=True)
    mappings = recording(APP + mapping(100, 0x400000, 0x100000, "/nope") + sample(0x400000))
    return (_written(folder, mappings, "data")
            + sum(_written(folder, part, f"data.{number}") for number in range(parts)))


def directory_of_parts(parts, blocks, window):
    """A directory of perf whose files each expand to almost as much as one file may. window: zstd's descriptor of it."""
    def make(directory, tacho):
        block = struct.pack("<I", 1 << 17 << 3 | 1 << 1)[:3] + b"\x01"
        whole = b"\x28\xb5\x2f\xfd\x00" + bytes([window]) + block * blocks
        part = b"".join(record(81, 0, whole[at:at + 60000]) for at in range(0, len(whole) // 8 * 8, 60000))
        return _directory_written(directory, part, parts)
    return make


def directory_of_windows(parts):
    """A directory whose compressed files each have a window of 512 KB from the start to the end."""
    def make(directory, tacho):
        records = sample(0x400000) * 8                                       # without a time: they are not sorted
        block = struct.pack("<I", len(records) << 3)[:3] + records           # of bytes as they are, not the last one
        part = record(81, 0, b"\x28\xb5\x2f\xfd\x00\x48" + block)
        return _directory_written(directory, part, parts)
    return make


def long_names_of_chains(samples, depth=127, length=1000):
    """Chains of functions with long names. No two share a caller."""
    def make(directory, tacho):
        pathlib.Path(directory, "tmp").mkdir(exist_ok=True)
        rows = "".join(f"{0x400000 + i * 4096:x} 1000 " + (f"B{i}" * length)[:length] + "\n" for i in range(256))
        chains = [[USER_MARK] + [0x400000 + (i * depth + j) * 48271 % 65537 % 256 * 4096 for j in range(depth)]
                  for i in range(samples)]
        parts = [APP, mapping(100, 0x400000, 0x40000000, "//anon")]
        parts += [sample(chain[1], time=1000 + i, chain=chain) for i, chain in enumerate(chains)]
        whole = recording(b"".join(parts), attrs=[attr(IP | TID | TIME | PERIOD | CALLCHAIN)])
        return _written(directory, rows.encode(), "tmp/perf-100.map") + _written(directory, whole)
    return make


def long_names_of_map(names, length):
    """A map of functions that have long names, each with a sample."""
    def make(directory, tacho):
        pathlib.Path(directory, "tmp").mkdir(exist_ok=True)
        rows = "".join(f"{0x400000 + i * 4096:x} 1000 " + (f"B{i}" * length)[:length] + "\n" for i in range(names))
        parts = [APP, mapping(100, 0x400000, 0x40000000, "//anon")]
        parts += [sample(0x400000 + i * 4096, time=1000 + i) for i in range(names)]
        return _written(directory, rows.encode(), "tmp/perf-100.map") + _written(directory, recording(b"".join(parts)))
    return make


def regions(kind, count):
    """A command that appends lines of regions, as programs with tacho's library do."""
    def make(directory, tacho):
        named = b'{"name":"r%d","quantities":[]}'
        line = b'{"clock":{"hz":1,"description":"%s"},"regions":[%s]}\n'
        whole = {
            "names": lambda: line % (b"c", b",".join(named % i for i in range(count))),
            "processes": lambda: b"".join(line % (b"c%d" % i, named % i) for i in range(count)),
            "quantities": lambda: line % (b"c", b'{"name":"r","quantities":[%s]}' % b",".join(
                b'{"name":"q%d"}' % i for i in range(count))) + line % (b"c", named % 0) * 1000,
            "nested": lambda: b"[" * count + b"\n",
            "empty": lambda: line % (b"c", b",".join([b'{"name":""}'] * count)),
            "numbers": lambda: line % (b"c", b'{"name":"","x":[' + b"0," * count + b"0]}"),
            "program": lambda: b'{"program":"%s",' % (b"p" * count) + (line % (b"c", b",".join([named % 0] * 2000)))[1:],
            "texts": lambda: b"".join(line % (b"c", b'{"name":"r%d%s"}' % (i, b"r" * 500)) for i in range(count)),
        }[kind]()
        return _written(directory, whole, "lines")
    return make


WRITER = ("import os; os.write(int(os.environ['TACHO_REGIONS_FD'].split(':')[0]), open('DIR/lines', 'rb').read())")


def _report(make, *options, says=""):
    return Bomb(make, ["report", "-i", "DIR/perf.data", *options], says)


def _annotate(make, *options):
    return Bomb(make, ["annotate", "-i", "DIR/perf.data", "--symfs", "DIR", *options], "left out: those around")


def _stat(kind, count, *options, says=""):
    return Bomb(regions(kind, count), ["stat", "--regions", "-e", "task-clock", "-o", "/dev/null", *options, "--",
                                       sys.executable, "-c", WRITER], says)


def bombs(size=1.0):
    """All of them; `size` scales each. At 1, all of tacho's runs together take a few seconds."""
    def n(count):
        return max(2, int(count * size))
    stacks = file_of(deep_stacks, n(3000))
    return {
        "forks": _report(file_of(forks, n(8000), n(4000))),
        "forks, dumped": Bomb(file_of(forks, n(8000), n(4000)), ["dump", "-i", "DIR/perf.data"]),
        "chain of forks": _report(file_of(fork_chain, n(8000), n(4000))),
        "build IDs": _report(file_of(build_ids, n(40000))),
        "build IDs between samples": Bomb(file_of(build_ids_between, n(3000)), ["dump", "-i", "DIR/perf.data"]),
        "threads for Firefox": _report(file_of(threads, n(30000)), "--firefox"),
        "processes for Firefox": _report(file_of(processes, n(30000)), "--firefox"),
        "threads as rows": _report(file_of(threads, n(30000)), "--sort", "tid", "--json"),
        "threads as pprof": _report(file_of(threads, n(30000)), "--pprof"),
        "deep stacks": _report(stacks),
        "deep stacks by instruction": _report(stacks, "--sort", "instruction"),
        "deep stacks as tree": _report(stacks, "--tree"),
        "deep stacks, folded": _report(stacks, "--folded"),
        "deep stacks for speedscope": _report(stacks, "--speedscope"),
        "deep stacks for Firefox": _report(file_of(deep_stacks, n(6000)), "--firefox", says="too many different"),
        "branches": Bomb(file_of(branches, n(600)), ["blocks", "-i", "DIR/perf.data"], says="too many different"),
        "branches as JSON": Bomb(file_of(branches, n(120)), ["blocks", "-i", "DIR/perf.data", "--json"]),
        "events and threads": _report(file_of(events_and_threads, n(6000), n(10000))),
        "events at places": _report(file_of(events_at_places, n(300), n(60000))),
        "events at places, by instruction": _report(file_of(events_at_places, n(16384), n(16384)), "--sort",
                                                    "instruction", says="events left out"),
        "events at places as JSON": _report(file_of(events_at_places, n(2000), n(20000)), "--sort", "instruction",
                                            "--json", says="events left out"),
        "events at places as CSV": _report(file_of(events_at_places, n(2000), n(20000)), "--sort", "instruction",
                                           "--csv", says="events left out"),
        "events at places as pprof": _report(file_of(events_at_places, n(16384), n(16384)), "--pprof"),
        "events at places for Firefox": _report(file_of(events_at_places, n(16384), n(16384)), "--firefox"),
        "events and threads by thread": _report(file_of(events_and_threads, n(6000), n(10000)), "--sort", "tid",
                                                says="events left out"),
        "colliding hashes": _report(file_of(colliding, n(80000))),
        "long name": _report(file_of(long_name, n(8000)), "--sort", "tid"),
        "compressed records": _report(file_of(compressed, n(150000)), says="expand to more than 300 times"),
        "names of tracepoints": _report(file_of(tracing_data, n(8000), n(10000))),
        "pieces": Bomb(pieces(n(5000)), ["report", "-i", "DIR/perf.data", "-i", "DIR/perf.data.1"]),
        "spellings of a file": _report(spellings(n(150))),
        "perf map": _report(perf_map(n(50000)), "--symfs", "DIR"),
        "jitdump": _report(jitdump(n(5000), n(2000)), "--symfs", "DIR"),
        "large compiled function": _annotate(large_compiled_function(n(1_000_000))),
        "large compiled function, all": _annotate(large_compiled_function(n(1_000_000)), "--all"),
        "large compiled function as JSON": _annotate(large_compiled_function(n(1_000_000)), "--json"),
        "large function as JSON": _annotate(large_function(n(500_000)), "--json"),
        "runs over each other": Bomb(runs_over_each_other(n(400_000), 1000, n(40)), ["blocks", "-i", "DIR/perf.data"],
                                     says="are not counted"),
        "runs over each other as JSON": Bomb(runs_over_each_other(n(400_000), 1000, n(40)),
                                             ["blocks", "-i", "DIR/perf.data", "--json"], says="are not counted"),
        "directory": _report(directory_of_parts(n(60), 257, 0x48), says="expand to more than 300 times"),
        "directory, windows of 128 MB": _report(directory_of_parts(n(60), 257, 0x88),
                                                says="expand to more than 300 times"),
        "directory of windows": _report(directory_of_windows(n(600)), says="together need too much memory"),
        "long names in chains": _report(long_names_of_chains(n(1500)), "--folded", "--symfs", "DIR"),
        "long names for Firefox": _report(long_names_of_map(n(300), 70_000), "--firefox", "--symfs", "DIR"),
        "regions": _stat("names", n(40000), "--json"),
        "regions as text": _stat("names", n(40000)),
        "regions of processes": _stat("processes", n(40000)),
        "quantities of a region": _stat("quantities", n(20000), "--json", says=""),
        "nested brackets": _stat("nested", n(4000000), "--json"),
        "regions of a program with a long name": _stat("program", n(1000000), "--json"),
        "regions with long names": _stat("texts", n(40000), "--json"),
        "regions without names": _stat("empty", n(400000), "--json"),
        "numbers": _stat("numbers", n(4000000), "--json"),
    }
