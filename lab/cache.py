"""The cache of Debian packages: kernels, busybox, libpfm4 and kernel headers for each architecture.

apt-get itself fetches them, with lists and settings of its own inside the cache, so that nothing of
this machine's package management is touched. ARCH/packages.json pins what was found first, with
SHA-256 sums; from then on the network is needed only for what is missing. Parts that are needed are
unpacked to ARCH/parts/, with sums of their own, so that a damaged file is noticed and made again.
"""
import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import kernel
from errors import LabError

MIRROR = os.environ.get("TACHO_LAB_MIRROR", "http://deb.debian.org/debian")
SUITE = "bookworm"
HOUR = 3600.0
KEYRING = pathlib.Path("/usr/share/keyrings/debian-archive-keyring.gpg")
ARCHITECTURES = ("arm64", "armhf", "armel")


def kept(architecture):
    """Of each package: the files that are kept, as patterns in the package and names in parts/."""
    trees = {f"usr/lib/linux-image-*/{name}": name for name in architecture.device_trees}
    return {
        "kernel": {"boot/vmlinuz-*": "kernel"} | trees,
        "busybox-static": {"bin/busybox": "busybox"},
        "libpfm4-dev": {"usr/lib/*/libpfm.a": "libpfm.a"},
    }


def say(text):
    print(f"lab: {text}", file=sys.stderr, flush=True)


def directory():
    """TACHO_LAB_CACHE, else tacho-lab in the user's cache directory."""
    chosen = os.environ.get("TACHO_LAB_CACHE")
    if chosen:
        return pathlib.Path(chosen).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or (os.environ.get("HOME") and os.environ["HOME"] + "/.cache")
    if not base:
        raise LabError("no place for the cache: neither TACHO_LAB_CACHE, XDG_CACHE_HOME nor HOME is set\n"
                       "set TACHO_LAB_CACHE to a directory with 700 MB of room")
    return pathlib.Path(base).absolute() / "tacho-lab"


@contextlib.contextmanager
def locked():
    """The cache, for this process alone."""
    cache = directory()
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"another lab is at work in {cache}: waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield cache


def sha256(path):
    total = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            total.update(block)
    return total.hexdigest()


def write_whole(path, text):
    """A file that is there whole or not at all."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        try:
            file.write(text)
            file.flush()
        except OSError:
            os.unlink(file.name)
            raise
    os.replace(file.name, path)


class Apt:
    """apt-get and apt-cache with lists of their own."""

    def __init__(self, cache):
        if not shutil.which("apt-get"):
            raise LabError("apt-get is not installed: the lab takes kernels from Debian's packages\n"
                           f"fill {cache} on a Debian machine and copy it here")
        if not KEYRING.exists():
            raise LabError(f"{KEYRING} is missing, by which packages are checked\ninstall debian-archive-keyring")
        self.root = cache / "apt"
        for folder in ("state/lists/partial", "cache/archives/partial", "none"):
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        self.host = self.output(["dpkg", "--print-architecture"]).strip()
        (self.root / "sources.list").write_text(f"deb [signed-by={KEYRING}] {MIRROR} {SUITE} main\n")
        architectures = " ".join(f'"{name}";' for name in dict.fromkeys((self.host, *ARCHITECTURES)))
        (self.root / "apt.conf").write_text(
            f'Dir::State "{self.root}/state";\nDir::State::status "/dev/null";\nDir::Cache "{self.root}/cache";\n'
            f'Dir::Etc::sourcelist "{self.root}/sources.list";\nDir::Etc::sourceparts "{self.root}/none";\n'
            f'APT::Architecture "{self.host}";\nAPT::Architectures {{ {architectures} }};\n'
            'APT::Sandbox::User "root";\nAcquire::Languages "none";\nAcquire::Retries "3";\n'
            'Acquire::http::Timeout "30";\n')
        self.environment = {**os.environ, "APT_CONFIG": str(self.root / "apt.conf"), "LC_ALL": "C.UTF-8"}
        # The machine's own settings come after apt.conf, and those of a container's image keep no digest of the
        # lists: each call would take seconds to make one.
        self.digest = ["-o", "Dir::Cache::pkgcache=pkgcache.bin"]

    def output(self, command, cwd=None):
        environment = getattr(self, "environment", None)
        result = subprocess.run(command, env=environment, cwd=cwd, stdin=subprocess.DEVNULL, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if result.returncode:
            raise LabError("\n".join(line for line in result.stderr.splitlines() if line.startswith(("E:", "W:")))
                           or f"{' '.join(command)} failed: {result.stderr.strip()}")
        return result.stdout

    def update(self):
        """The mirror's lists, unless they have just been fetched."""
        stamp = self.root / f"updated-from-{hashlib.sha256(MIRROR.encode()).hexdigest()[:8]}"
        if stamp.exists() and time.time() - stamp.stat().st_mtime < HOUR:
            return
        say(f"fetching the package lists of {SUITE} from {MIRROR} (35 MB)")
        self.output(["apt-get", *self.digest, "update", "--error-on=any"])
        stamp.touch()

    def describe(self, packages):
        """Of each NAME:ARCH, whose names all differ, the newest version: {NAME: its fields}, such as Version,
        Filename, Size and SHA256."""
        shown = self.output(["apt-cache", *self.digest, "show", "--no-all-versions", *packages]).strip()
        found = [dict(re.findall(r"^([A-Za-z0-9-]+): (.*)$", each, re.MULTILINE)) for each in shown.split("\n\n")]
        return {fields["Package"]: fields for fields in found}

    def download(self, package, into):
        """Goes on where an earlier try was cut off. Progress on a terminal."""
        command = ["apt-get", *self.digest, "download", package]
        if sys.stderr.isatty():
            done = subprocess.run(command, cwd=into, env=self.environment,
                                  stdin=subprocess.DEVNULL, stdout=sys.stderr)
            if done.returncode:
                raise LabError(f"apt-get could not fetch {package}")
        else:
            self.output(command, cwd=into)


def names_to_pin(apt, architecture, with_headers):
    """The role and NAME:ARCH of each package of an architecture."""
    arch = architecture.debian
    image = apt.describe([f"{architecture.kernel}:{arch}"])[architecture.kernel]["Depends"].split()[0]
    names = {"kernel": f"{image}:{arch}", "busybox-static": f"busybox-static:{arch}",
             "libpfm4-dev": f"libpfm4-dev:{arch}"}
    if with_headers:
        release = re.fullmatch(r"linux-image-(.*)-[a-z0-9]+", image)[1]
        series = ".".join(release.split(".")[:2])
        names |= {"headers": f"{image.replace('image', 'headers')}:{arch}",
                  "headers-common": f"linux-headers-{release}-common:{apt.host}",
                  "kbuild": f"linux-kbuild-{series}:{apt.host}"}
    return names


def pin(cache, architecture, with_headers):
    """packages.json of the architecture, made from the mirror's lists when something is not in it."""
    path = cache / architecture.debian / "packages.json"
    try:
        pins = json.loads(path.read_text())
    except (OSError, ValueError):
        pins = {}
    if "kernel" in pins and ("headers" in pins or not with_headers):
        return pins
    try:
        apt = Apt(cache)
        apt.update()
        names = names_to_pin(apt, architecture, with_headers or "headers" in pins)
        described = apt.describe(names.values())
        for role, name in names.items():
            fields = described[name.partition(":")[0]]
            pins[role] = {"package": f"{name}={fields['Version']}", "file": pathlib.Path(fields["Filename"]).name,
                          "size": int(fields["Size"]), "sha256": fields["SHA256"]}
    except LabError as error:
        raise LabError(f"the cache {cache} holds no packages for {architecture.debian} yet, and none can be fetched:\n"
                       f"{error}\nconnect this machine to {MIRROR} (TACHO_LAB_MIRROR chooses another mirror), or copy "
                       "a filled cache there") from None
    path.parent.mkdir(exist_ok=True)
    write_whole(path, json.dumps(pins, indent=1))
    return pins


def package_file(cache, architecture, pinned):
    """The package on disk, fetched when it is missing or not what it should be."""
    folder = cache / architecture.debian
    path = folder / pinned["file"]
    if path.exists():
        if path.stat().st_size == pinned["size"] and sha256(path) == pinned["sha256"]:
            return path
        say(f"{path} is damaged (its SHA-256 is not that of the pinned package): fetching it again")
        path.unlink()
    else:
        say(f"fetching {pinned['package']} ({pinned['size'] / 1e6:.0f} MB)")
    try:
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            apt = Apt(cache)
            apt.update()
            apt.download(pinned["package"], scratch)
            fetched = next(pathlib.Path(scratch).glob("*.deb"))
            if sha256(fetched) != pinned["sha256"]:
                raise LabError("what came has another SHA-256 than what was pinned")
            fetched.replace(path)
    except LabError as error:
        raise LabError(f"cannot fetch {pinned['package']}, which is missing in {folder}:\n{error}\n"
                       "connect to the mirror; if it has a newer version only, run lab/prepare --update") from None
    return path


def unpack(package, into):
    result = subprocess.run(["dpkg-deb", "--extract", package, into], stderr=subprocess.PIPE, text=True)
    if result.returncode:
        raise LabError(f"cannot unpack {package}: {result.stderr.strip()}\nis there room in {into}?")


def sums_hold(parts, names):
    try:
        sums = json.loads((parts / "sums.json").read_text())
        return all(sha256(parts / name) == sums.get(name) for name in names)
    except (OSError, ValueError):
        return False


def parts_of(architecture):
    """The directory with the kernel, its device trees, busybox and libpfm.a of an architecture."""
    files = kept(architecture)
    with locked() as cache:
        parts = cache / architecture.debian / "parts"
        if sums_hold(parts, [name for names in files.values() for name in names.values()]):
            return parts
        pins = pin(cache, architecture, with_headers=False)
        packages = {role: package_file(cache, architecture, pins[role]) for role in files}
        shutil.rmtree(parts, ignore_errors=True)
        with tempfile.TemporaryDirectory(dir=parts.parent) as scratch:
            made = pathlib.Path(scratch, "parts")
            made.mkdir()
            for role, package in packages.items():
                tree = pathlib.Path(scratch, role)
                unpack(package, tree)
                for pattern, name in files[role].items():
                    shutil.move(next(tree.glob(pattern)), made / name)
            if architecture.linux == "arm":
                (made / "kernel").write_bytes(kernel.unpacked((made / "kernel").read_bytes()))
            sums = {file.name: sha256(file) for file in made.iterdir()}
            (made / "sums.json").write_text(json.dumps(sums))
            made.replace(parts)
        return parts


def headers_of(architecture):
    """The directory to give as KDIR to a kernel module's Makefile."""
    with locked() as cache:
        pins = pin(cache, architecture, with_headers=True)
        name = pins["headers"]["package"].split(":")[0]
        tree = cache / architecture.debian / name
        kdir = tree / "usr/src" / name
        if (tree / "complete").exists():
            return kdir
        packages = [package_file(cache, architecture, pins[role]) for role in ("headers", "headers-common", "kbuild")]
        shutil.rmtree(tree, ignore_errors=True)
        for package in packages:
            unpack(package, tree)
        # Its makefiles name their installed place.
        for makefile in (kdir / "Makefile", kdir / ".kernelvariables"):
            if makefile.exists():
                makefile.write_text(makefile.read_text().replace("/usr/src/", f"{tree}/usr/src/"))
        (tree / "complete").touch()
        return kdir


def forget_pins(architecture):
    """Before an update: the next use finds the mirror's newest packages."""
    with locked() as cache:
        (cache / architecture.debian / "packages.json").unlink(missing_ok=True)
        shutil.rmtree(cache / architecture.debian / "parts", ignore_errors=True)
