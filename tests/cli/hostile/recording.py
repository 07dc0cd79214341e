"""Writes small recordings in perf's format, record by record, with any value in any field. All are little-endian."""
import socket
import struct

IP, TID, TIME, CALLCHAIN, ID, PERIOD, STREAM, BRANCH_STACK = 1, 2, 4, 32, 64, 256, 512, 2048  # bits of sample_type
USER = 2                                                                  # cpumode of a record's misc
USER_MARK = 0xfffffffffffffe00                                            # in call chains
FLAGS = 1 << 8 | 1 << 9 | 1 << 13 | 1 << 1                                # mmap, comm, task; inherit


def record(kind, misc, body):
    body += bytes(-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def text(words):
    words = words if isinstance(words, bytes) else words.encode()
    return words + bytes(8 - len(words) % 8)


def mapping(pid, start, length, name, offset=0):
    return record(1, USER, struct.pack("<iiQQQ", pid, pid, start, length, offset) + text(name))


def command(pid, tid, name, exec_=False):
    return record(3, exec_ << 13, struct.pack("<ii", pid, tid) + text(name))


def fork(pid, parent, tid=None, parent_tid=None, time=0):
    return record(7, 0, struct.pack("<iiiiQ", pid, parent, pid if tid is None else tid,
                                    parent if parent_tid is None else parent_tid, time))


def sample(address, pid=100, tid=None, time=0, period=1, chain=None, event=None):
    body = struct.pack("<Qii", address & (1 << 64) - 1, pid, pid if tid is None else tid)
    body += struct.pack("<Q", time)
    body += b"" if event is None else struct.pack("<Q", event)
    body += struct.pack("<Q", period)
    if chain is not None:
        body += struct.pack(f"<{1 + len(chain)}Q", len(chain), *chain)
    return record(9, USER, body)


def build_id(path, identity):
    return record(0, USER, struct.pack("<i20s4x", -1, identity) + text(path))


def attr(sample_type=IP | TID | TIME | PERIOD, config=0, frequency=1000):
    """cpu-clock at a frequency, as `tacho record` and `perf record` have it."""
    return struct.pack("<IIQQQQQ", 1, 64, config, frequency, sample_type, 0, FLAGS | 1 << 10).ljust(64, b"\0")


def counted(words):
    words = words.encode() + b"\0"
    return struct.pack("<I", len(words)) + words


def recording(records, features=None, attrs=None, ids=()):
    """The bytes of a file of this machine. features: {number: section}. ids: those of each attr."""
    attrs = attrs or [attr()]
    features = {3: counted(socket.gethostname()), **(features or {})}
    ids_at, words, entries = 104, b"", b""
    for number, each in enumerate(attrs):
        own = struct.pack(f"<{len(ids[number])}Q", *ids[number]) if ids else b""
        entries += each + struct.pack("<QQ", ids_at + len(words), len(own))
        words += own
    attrs_at = ids_at + len(words)
    data_at = attrs_at + len(entries)
    bits = [sum(1 << number - 64 * word for number in features if number // 64 == word) for word in range(4)]
    header = b"PERFILE2" + struct.pack("<8Q4Q", 104, len(attrs[0]) + 16, attrs_at, len(entries), data_at, len(records),
                                       0, 0, *bits)
    at = data_at + len(records) + 16 * len(features)
    table = sections = b""
    for number in sorted(features):
        table += struct.pack("<QQ", at + len(sections), len(features[number]))
        sections += features[number]
    return header + words + entries + records + table + sections


def stream(records, attrs=None):
    """The bytes of a recording in pipe mode."""
    return b"PERFILE2" + struct.pack("<Q", 16) + b"".join(record(64, 0, each) for each in attrs or [attr()]) + records
