"""A 32-bit kernel without its wrapping: an emulated processor takes seconds to unpack it."""
import lzma
import struct

XZ = b"\xfd7zXZ\0"
# From the start of the board's memory: where QEMU loads what is no ELF file and enters it, and where
# Linux may stand (Documentation/arch/arm/booting.rst: 32 KiB above a boundary of 2 MiB).
LOADED, STANDS = 0x10000, 0x208000


def unpacked(wrapped):
    """A zImage's kernel, behind a branch to it; the zImage itself where no kernel packed by xz is found."""
    at = wrapped.find(XZ)
    while at >= 0:
        try:
            return to(STANDS - LOADED) + lzma.LZMADecompressor(lzma.FORMAT_XZ).decompress(wrapped[at:])
        except lzma.LZMAError:  # those bytes stood there by chance
            at = wrapped.find(XZ, at + 1)
    return wrapped


def to(offset):
    """As many bytes, of which the first four are the instruction `b` to what follows (Arm ARM, A8.8.18)."""
    always, branch, ahead = 0xE << 28, 0xA << 24, 8  # the program counter reads 8 bytes ahead
    return struct.pack("<I", always | branch | (offset - ahead) >> 2).ljust(offset, b"\0")
