"""Programs of other architectures for test_simulated_arm.py: small ones in assembly, whose counts are known, and ones
in C. Each target is a kind of code with its compiler and its emulator."""
import dataclasses
import os
import pathlib
import shutil
import subprocess
import unittest

HERE = pathlib.Path(__file__).parent


@dataclasses.dataclass
class Target:
    compiler: str
    flags: tuple
    qemu: str
    wide: bool = False

    def compile(self, source, output, *flags):
        subprocess.run([self.compiler, *self.flags, "-O2", "-o", output, source, *flags], check=True)
        return str(output)

    def assemble(self, directory, body):
        """A program of these lines, which ends with status 0. r0 and r7 are x0 and x8 in A64 code."""
        ending = ("mov x8, #93", "mov x0, #0") if self.wide else ("mov r7, #1", "mov r0, #0")
        thumb = (".thumb", ".thumb_func") if "-mthumb" in self.flags else ()
        lines = (".syntax unified" * (not self.wide), ".text", *thumb, ".global _start", "_start:", *body, *ending,
                 "svc #0", ".ltorg", ".bss", ".balign 4096", "data: .space 0x200000")
        source = pathlib.Path(directory, "program.s")
        source.write_text("\n".join(lines) + "\n")
        return self.compile(source, pathlib.Path(directory, "program"), "-nostdlib", "-static", "-Wl,--build-id=none")


A32 = Target("arm-linux-gnueabi-gcc", ("-march=armv6", "-mfpu=vfp", "-mfloat-abi=softfp", "-marm"), "qemu-arm")
T32 = Target("arm-linux-gnueabihf-gcc", ("-march=armv7ve+neon", "-mthumb"), "qemu-arm")
A64 = Target("aarch64-linux-gnu-gcc", (), "qemu-aarch64", wide=True)
TARGETS = {"A32": A32, "T32": T32, "A64": A64}

needs_arm = unittest.skipUnless(
    all(shutil.which(each.compiler) and shutil.which(each.qemu) for each in TARGETS.values()),
    "no QEMU or no compilers for ARM: packaging/setup ci installs them")


def true_counts(target, directory, *command):
    """What QEMU has executed: instructions, and those that load and that store."""
    plugin = pathlib.Path(directory, "counts.so")
    if not plugin.exists():
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", f"-I{HERE.parents[1] / 'simulator/qemu'}", "-o", plugin,
                        HERE / "arm" / "qemu_counts.c"], check=True)
    out = pathlib.Path(directory, "counts")
    cpu = ("-cpu", "max,sve=off,sme=off") if target.wide else ()
    subprocess.run([target.qemu, *cpu, "-plugin", f"{plugin},out={out}", "-0", *command[:1], *command], check=True,
                   env={**os.environ, "LC_ALL": "C.UTF-8"}, stdout=subprocess.PIPE)  # as tacho_cli.run has both
    return dict(zip(("instructions", "loads", "stores"), map(int, out.read_text().split())))
