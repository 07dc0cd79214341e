"""Writes small ELF files and recordings of them, byte by byte: what no compiler or linker would write."""
import pathlib
import struct

ADDRESS = 0x401000  # of the code
CODE = 256          # bytes of it


def elf(path, sections=(), symbols=None, size=0, flags=None, stated=None, code=b"\x90" * (CODE - 1) + b"\xc3"):
    """An x86-64 program of one function with these sections (name, bytes). `size` makes it a sparse file of so many
    bytes. flags and stated: sh_flags and sh_size of sections by their names."""
    symbols = symbols or (("main", ADDRESS, len(code)),)
    flags, stated = flags or {}, dict(stated or {})
    strings, table = b"\0", struct.pack("<IBBHQQ", 0, 0, 0, 0, 0, 0)
    for name, address, length in symbols:
        name = name if isinstance(name, bytes) else name.encode()
        table += struct.pack("<IBBHQQ", len(strings), 0x12, 0, 1, address, length)
        strings += name + b"\0"
    # name, contents, type, sh_flags, address, link, entry
    rows = [(".text", code, 1, 6, ADDRESS, 0, 0), (".symtab", table, 2, 0, 0, 3, 24),
            (".strtab", strings, 3, 0, 0, 0, 0)]
    rows += [(name, contents, 1, flags.get(name, 0), 0, 0, 0) for name, contents in sections]
    names = b"\0" + b"".join(row[0].encode() + b"\0" for row in rows) + b".shstrtab\0"
    rows.append((".shstrtab", names, 3, 0, 0, 0, 0))
    body, headers = bytearray(0x1000), [bytes(64)]
    for name, contents, kind, flag, address, link, entry in rows:
        headers.append(struct.pack("<IIQQQQIIQQ", names.index(b"\0" + name.encode() + b"\0") + 1, kind, flag, address,
                                   len(body), stated.get(name, len(contents)), link, 0, 1, entry))
        body += contents + bytes(-len(contents) % 16)
    body[:120] = (b"\x7fELF\2\1\1" + bytes(9)
                  + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, ADDRESS, 64, len(body), 0, 64, 56, 1, 64, len(headers),
                                len(headers) - 1)
                  + struct.pack("<IIQQQQQQ", 1, 5, 0x1000, ADDRESS, ADDRESS, len(code), len(code), 0x1000))
    with open(path, "wb") as file:
        file.write(body + b"".join(headers))
        if size:
            file.truncate(size)
    return path


def _record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def recording(path, program, offsets):
    """A recording of cpu-clock samples at these offsets in the code of the program."""
    name = str(pathlib.Path(program).resolve()).encode() + b"\0"
    name += bytes(-len(name) % 8)
    length = max(offsets, default=0) // 0x1000 * 0x1000 + 0x1000
    data = _record(3, 1 << 13, struct.pack("<ii", 100, 100) + b"app\0\0\0\0\0")
    data += _record(10, 2, struct.pack("<iiQQQIIQQII", 100, 100, ADDRESS, length, 0x1000, 8, 1, 1, 0, 5, 2) + name)
    for time, offset in enumerate(offsets):  # IP, TID, TIME, PERIOD
        data += _record(9, 2, struct.pack("<QiiQQ", ADDRESS + offset, 100, 100, 1000 + time, 1000))
    attribute = struct.pack("<IIQQQQQ", 1, 136, 0, 1000000, 1 | 2 | 4 | 1 << 8, 0, 1 << 8 | 1 << 9 | 1 << 23)
    attribute = attribute.ljust(136, b"\0") + struct.pack("<QQ", 104, 0)
    header = b"PERFILE2" + struct.pack("<12Q", 104, len(attribute), 104, len(attribute), 104 + len(attribute),
                                       len(data), 0, 0, 0, 0, 0, 0)
    pathlib.Path(path).write_bytes(header + attribute + data)
    return path
