"""A second reader of recordings in perf's format, to hold tacho's against: slow, whole in memory, of
undamaged recordings of little-endian machines, and of samples only what stands before READ.

    samples = read_samples(path)      # [(time, pid, tid, ip, period)], ordered by time

Compressed recordings need libzstd's shared library; without it, MissingZstd is raised.
"""
import ctypes
import ctypes.util
import struct

IP, TID, TIME, ADDR, ID, CPU, PERIOD, STREAM_ID, IDENTIFIER = 1, 2, 4, 8, 64, 128, 256, 512, 65536
FIELDS = [(IDENTIFIER, "id"), (IP, "ip"), (TID, "tid"), (TIME, "time"), (ADDR, "addr"), (ID, "id"),
          (STREAM_ID, "stream"), (CPU, "cpu"), (PERIOD, "period")]
SAMPLE, HEADER_ATTR, TRACING_DATA, AUXTRACE, COMPRESSED, COMPRESSED2 = 9, 64, 66, 71, 81, 83


class MissingZstd(Exception):
    pass


class _Buffer(ctypes.Structure):
    _fields_ = [("at", ctypes.c_void_p), ("size", ctypes.c_size_t), ("pos", ctypes.c_size_t)]


class _Zstd:
    def __init__(self):
        name = ctypes.util.find_library("zstd")
        if name is None:
            raise MissingZstd("libzstd's shared library is not installed")
        self.library = ctypes.CDLL(name)
        self.library.ZSTD_createDStream.restype = ctypes.c_void_p
        self.library.ZSTD_decompressStream.argtypes = [ctypes.c_void_p] * 3
        self.library.ZSTD_decompressStream.restype = ctypes.c_size_t
        self.stream = self.library.ZSTD_createDStream()

    def decompress(self, data):
        given = ctypes.create_string_buffer(data, len(data))
        source = _Buffer(ctypes.addressof(given), len(data), 0)
        result = b""
        while True:
            room = ctypes.create_string_buffer(1 << 20)
            target = _Buffer(ctypes.addressof(room), len(room), 0)
            code = self.library.ZSTD_decompressStream(self.stream, ctypes.byref(target), ctypes.byref(source))
            assert not self.library.ZSTD_isError(ctypes.c_size_t(code))
            result += room.raw[:target.pos]
            if source.pos == source.size and target.pos < target.size:
                return result


class _Events:
    """The sample types of the events: the first one, and all by id."""

    def __init__(self):
        self.first, self.by_id = None, {}

    def add(self, attr, ids):
        sample_type = struct.unpack_from("<Q", attr, 24)[0]
        self.first = self.first or sample_type
        self.by_id.update((number, sample_type) for number, in struct.iter_unpack("<Q", ids))

    def type_of(self, body):
        """Returns the sample type of a sample. If the types differ, the sample begins with its IDENTIFIER."""
        return self.by_id[struct.unpack_from("<Q", body)[0]] if self.first & IDENTIFIER else self.first


def _file(data, events):
    """Returns the bytes of the data."""
    attr_size, at, size, data_at, data_size = struct.unpack_from("<5Q", data, 16)
    for entry in range(at, at + size, attr_size):
        ids_at, ids_size = struct.unpack_from("<2Q", data, entry + attr_size - 16)
        events.add(data[entry:], data[ids_at:ids_at + ids_size])
    return data[data_at:data_at + data_size]


def _sample(body, sample_type):
    values, at = {}, 0
    for bit, name in FIELDS:
        if sample_type & bit:
            values[name] = struct.unpack_from("<ii" if name in ("tid", "cpu") else "<Q", body, at)
            at += 8
    pid, tid = values.get("tid", (None, None))
    first = {name: value[0] for name, value in values.items()}
    return first.get("time"), pid, tid, first.get("ip", 0), first.get("period")


def _attr_record(body, events):
    size = struct.unpack_from("<I", body, 4)[0]
    events.add(body, body[size:])


def read_samples(path):
    data = path.read_bytes()
    assert data[:8] == b"PERFILE2"
    events, samples, zstd, inside = _Events(), [], None, b""
    stream = struct.unpack_from("<Q", data, 8)[0] == 16
    data = data[16:] if stream else _file(data, events)
    for _ in range(2):  # the recording, then the records that were compressed in it
        at = 0
        while at + 8 <= len(data):
            kind, _, size = struct.unpack_from("<IHH", data, at)
            if size < 8 or at + size > len(data):
                break
            body = data[at + 8:at + size]
            at += size
            if kind == SAMPLE:
                samples.append(_sample(body, events.type_of(body)))
            elif kind == HEADER_ATTR:
                _attr_record(body, events)
            elif kind == TRACING_DATA:
                at += struct.unpack_from("<I", body)[0]
            elif kind == AUXTRACE:
                at += struct.unpack_from("<Q", body)[0]
            elif kind in (COMPRESSED, COMPRESSED2):
                zstd = zstd or _Zstd()
                inside += zstd.decompress(
                    body if kind == COMPRESSED else body[8:8 + struct.unpack_from("<Q", body)[0]])
        data = inside
    return sorted(samples, key=lambda sample: sample[0] or 0)
