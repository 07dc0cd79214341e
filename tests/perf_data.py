"""The layout of recordings (perf.data, file mode), read independently of tacho: what tests and benches hold files against."""
import pathlib
import struct

SAMPLE = 9  # PERF_RECORD_SAMPLE


def records(source):
    """(type, misc, the bytes behind its header) of each record of a file, or of a file's bytes. They must fill the
    data section to the byte."""
    whole = source if isinstance(source, bytes) else pathlib.Path(source).read_bytes()
    assert whole[:8] == b"PERFILE2"
    at, size = struct.unpack_from("<QQ", whole, 40)
    end = at + size
    assert end <= len(whole), f"data up to {end} in a file of {len(whole)} bytes"
    while at < end:
        kind, misc, length = struct.unpack_from("<IHH", whole, at)
        assert 8 <= length <= end - at, f"a record of {length} bytes at {at} of {end}"
        yield kind, misc, whole[at + 8:at + length]
        at += length
