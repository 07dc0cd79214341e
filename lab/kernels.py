"""The kernels that the module must build for, and their headers from Debian's archive.

Each suite has another kernel. A tree of headers, once it is complete, is kept in the cache, and its packages and the
suite's lists are not. apt-get checks the packages, so no sums are kept.
"""
import dataclasses
import pathlib
import re
import shutil
import subprocess
import tempfile

import cache
from boards import ARM64, ARMV6, ARMV7
from errors import LabError


@dataclasses.dataclass(frozen=True)
class Kernel:
    name: str  # a short name for people
    suite: str
    architectures: tuple = (ARM64, ARMV7, ARMV6)  # those that the suite has headers for
    # The suite's compiler is newer than Debian 12's, and its kernels' programs need a newer C library.
    newer: bool = False


# Debian's suites have no 6.6: it was in bookworm-backports once, and only snapshot.debian.org still has it. armel has
# left the archive from bullseye on backwards, and from forky on.
KERNELS = {kernel.name: kernel for kernel in (
    Kernel("5.10", "bullseye", (ARM64, ARMV7)),
    Kernel("6.1", "bookworm"),
    Kernel("6.12", "bookworm-backports"),
    Kernel("newest", "sid", (ARM64, ARMV7), newer=True),
)}

# Answers of a newer kernel's configuration about its compiler that Debian 12's GCC 12 does not give.
NEWER_COMPILER = ("CC_HAS_ASSUME", "CC_HAS_COUNTED_BY", "CC_HAS_COUNTED_BY_PTR", "CC_HAS_MIN_FUNCTION_ALIGNMENT",
                  "CC_HAS_MULTIDIMENSIONAL_NONSTRING", "CC_OPT_INLINE_MEMSET")
# The style checker: a script of the kernel with two lists. Debian has it in the package of the whole source only.
STYLE = ("checkpatch.pl", "spelling.txt", "const_structs.checkpatch")


def flavour(architecture):
    return architecture.kernel.removeprefix("linux-image-")


def packages_of(apt, kernel):
    """Returns the packages NAME:ARCH of the newest headers: for each architecture, and what all of them use."""
    def needed(package, pattern):
        return re.search(pattern, apt.describe([package])[package.partition(":")[0]]["Depends"])[0]
    found = {}
    for each in kernel.architectures:
        name = needed(f"linux-headers-{flavour(each)}:{each.debian}", rf"linux-headers-[^ ,]+-{flavour(each)}")
        shared = [needed(f"{name}:{each.debian}", pattern) for pattern in (r"linux-headers-[^ ,]+-common", r"linux-kbuild-[^ ,]+")]
        found |= {name: f"{name}:{each.debian}"} | {package: f"{package}:{apt.host}" for package in shared}
    return found | ({"libc6": f"libc6:{apt.host}"} if kernel.newer else {})


def complete(tree):
    """Returns what a complete tree says of itself, or None."""
    try:
        return (tree / "complete").read_text()
    except OSError:
        return None


def fetch_headers(kernel, tree):
    with tempfile.TemporaryDirectory(dir=tree.parent) as scratch:
        scratch = pathlib.Path(scratch)
        apt = cache.Apt(scratch, kernel.suite, [each.debian for each in kernel.architectures])
        apt.update()
        made = scratch / "made"
        for name, package in packages_of(apt, kernel).items():
            apt.download(package, scratch)
            file = next(scratch.glob("*.deb"))
            cache.unpack(file, made / "libc" if name == "libc6" else made)
            file.unlink()
        for kdir in kdirs(made):
            for makefile in (kdir / "Makefile", kdir / ".kernelvariables"):
                if makefile.exists():  # they hold the path where the package would be installed
                    makefile.write_text(makefile.read_text().replace("/usr/src/", f"{tree}/usr/src/"))
            if kernel.newer:
                forget_answers(kdir)
        if kernel.newer:
            use_own_libc(made, tree)
        (made / "complete").touch()
        shutil.rmtree(tree, ignore_errors=True)
        made.replace(tree)


def kdirs(tree):
    return [folder for folder in tree.glob("usr/src/linux-headers-*") if not folder.name.endswith("-common")]


def use_own_libc(made, tree):
    """Lets the kernel's programs run with the C library of their own suite: each becomes a script that calls it."""
    linker = next(made.glob("libc/usr/lib/*/ld-linux*.so.*")).relative_to(made)
    for program in [*made.glob("usr/lib/*/scripts/basic/fixdep"), *made.glob("usr/lib/*/scripts/mod/modpost.real-*")]:
        program.rename(f"{program}.elf")
        program.write_text(f'#!/bin/sh\nexec "{tree / linker}" --library-path "{(tree / linker).parent}" "$0.elf" "$@"\n')
        program.chmod(0o755)


def forget_answers(kdir):
    for file in ("include/config/auto.conf", "include/generated/autoconf.h"):
        lines = (kdir / file).read_text().splitlines(keepends=True)
        wrong = re.compile(rf"(#define )?CONFIG_({'|'.join(NEWER_COMPILER)})[ =]")
        (kdir / file).write_text("".join(line for line in lines if not wrong.match(line)))


def headers_of(kernel, update=False):
    """Returns for each architecture the directory that a kernel module's Makefile takes as KDIR. Fetches what is missing."""
    with cache.locked("kernels") as folder:
        tree = folder / kernel.name
        if update or complete(tree) is None:
            try:
                fetch_headers(kernel, tree)
            except LabError as error:
                raise LabError(f"the headers of {kernel.name} ({kernel.suite}) are not in the cache {folder} and can't be "
                               f"fetched:\n{error}\nconnect this machine to {cache.MIRROR}; if the suite has left the "
                               "archive, remove it from lab/kernels.py") from None
        return {each: next(kdir for kdir in kdirs(tree) if kdir.name.endswith(f"-{flavour(each)}"))
                for each in kernel.architectures}


def style_checker(update=False):
    """Returns the path of the kernel's checkpatch.pl, and fetches it if it is missing."""
    with cache.locked("kernels") as folder:
        kept = folder / "style"
        if update or complete(kept) is None:
            fetch_style(KERNELS["newest"].suite, kept)
        return kept / STYLE[0]


def fetch_style(suite, kept):
    with tempfile.TemporaryDirectory(dir=kept.parent) as scratch:
        scratch = pathlib.Path(scratch)
        apt = cache.Apt(scratch, suite, [])
        apt.update()
        source = apt.describe([f"linux-source:{apt.host}"])["linux-source"]["Depends"].split()[0]
        cache.say(f"fetching {source}, which has the kernel's checkpatch.pl (165 MB, of which three files are kept)")
        apt.download(source, scratch)
        cache.unpack(next(scratch.glob("*.deb")), scratch / "package")
        archive = next(scratch.glob("package/usr/src/linux-source-*.tar.xz"))
        made = scratch / "made"
        made.mkdir()
        subprocess.run(["tar", "-x", "--directory", made, "--strip-components=2", "--file", archive,
                        *(f"{source}/scripts/{name}" for name in STYLE)], check=True)
        (made / "complete").write_text(source)
        shutil.rmtree(kept, ignore_errors=True)
        made.replace(kept)
