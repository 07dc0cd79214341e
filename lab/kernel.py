"""Unpacks a 32-bit kernel (zImage) on the host, because an emulated processor would take seconds for it."""
import lzma
import struct

XZ = b"\xfd7zXZ\0"
# Offsets from the start of the board's memory. QEMU loads a kernel that is no ELF file at LOADED and enters it there.
# Linux must be 32 KiB above a boundary of 2 MiB (Documentation/arch/arm/booting.rst): at KERNEL.
LOADED, KERNEL = 0x10000, 0x208000


def unpacked(wrapped):
    """Returns a branch, followed by the unpacked kernel of a zImage. Returns the zImage if it holds no xz data."""
    at = wrapped.find(XZ)
    while at >= 0:
        try:
            return branch_over(KERNEL - LOADED) + lzma.LZMADecompressor(lzma.FORMAT_XZ).decompress(wrapped[at:])
        except lzma.LZMAError:  # these bytes are other data
            at = wrapped.find(XZ, at + 1)
    return wrapped


def branch_over(offset):
    """Returns `offset` bytes that begin with the instruction `b` to the first byte after them (Arm ARM, A8.8.18)."""
    always, branch, ahead = 0xE << 28, 0xA << 24, 8  # the program counter reads as the instruction's address plus 8
    return struct.pack("<I", always | branch | (offset - ahead) >> 2).ljust(offset, b"\0")
