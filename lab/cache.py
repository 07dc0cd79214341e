"""The cache of Debian packages: kernels, busybox, libpfm4 and kernel headers for each architecture.

apt-get fetches them, with its own lists and settings inside the cache, so this machine's package management is not
touched. ARCH/packages.json pins the versions that were found first, with SHA-256 sums. After that, the network is
needed for missing packages only. The files that boards need are unpacked to ARCH/parts/, with sums of their own, so a
damaged file is detected and unpacked again.
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
    """Returns for each package the files to keep: {pattern in the package: name in parts/}."""
    trees = {f"usr/lib/linux-image-*/{name}": name for name in architecture.device_trees}
    return {
        "kernel": {"boot/vmlinuz-*": "kernel"} | trees,
        "busybox-static": {"bin/busybox": "busybox"},
        "libpfm4-dev": {"usr/lib/*/libpfm.a": "libpfm.a"},
    }


def say(text):
    print(f"lab: {text}", file=sys.stderr, flush=True)


def directory():
    """Returns the cache's directory: TACHO_LAB_CACHE, or else tacho-lab in the user's cache directory."""
    chosen = os.environ.get("TACHO_LAB_CACHE")
    if chosen:
        return pathlib.Path(chosen).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or (os.environ.get("HOME") and os.environ["HOME"] + "/.cache")
    if not base:
        raise LabError("no place for the cache: neither TACHO_LAB_CACHE, XDG_CACHE_HOME nor HOME is set\n"
                       "set TACHO_LAB_CACHE to a directory with 1.5 GB of room")
    return pathlib.Path(base).absolute() / "tacho-lab"


@contextlib.contextmanager
def locked(part="."):
    """Locks the cache, or a part of it, so that this process alone uses it, and yields its directory."""
    cache = directory() / part
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another process that uses {cache}")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield cache


def sha256(path):
    total = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            total.update(block)
    return total.hexdigest()


def write_whole(path, text):
    """Writes a file so that readers see all of it or none."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        try:
            file.write(text)
            file.flush()
        except OSError:
            os.unlink(file.name)
            raise
    os.replace(file.name, path)


class Apt:
    """apt-get and apt-cache for one suite of Debian, with their own lists in the folder `apt` of a directory."""

    def __init__(self, cache, suite=SUITE, architectures=ARCHITECTURES):
        if not shutil.which("apt-get"):
            raise LabError("apt-get is not installed: the lab's kernels are Debian packages\n"
                           f"fill {cache} on a Debian machine and copy it to this machine")
        if not KEYRING.exists():
            raise LabError(f"{KEYRING} is missing: packages can't be verified\ninstall debian-archive-keyring")
        self.root = cache / "apt"
        self.suite = suite
        for folder in ("state/lists/partial", "cache/archives/partial", "none"):
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        self.host = self.output(["dpkg", "--print-architecture"]).strip()
        (self.root / "sources.list").write_text(f"deb [signed-by={KEYRING}] {MIRROR} {suite} main\n")
        architectures = " ".join(f'"{name}";' for name in dict.fromkeys((self.host, *architectures)))
        (self.root / "apt.conf").write_text(
            f'Dir::State "{self.root}/state";\nDir::State::status "/dev/null";\nDir::Cache "{self.root}/cache";\n'
            f'Dir::Etc::sourcelist "{self.root}/sources.list";\nDir::Etc::sourceparts "{self.root}/none";\n'
            f'APT::Architecture "{self.host}";\nAPT::Architectures {{ {architectures} }};\n'
            'APT::Sandbox::User "root";\nAcquire::Languages "none";\nAcquire::Retries "3";\n'
            'Acquire::http::Timeout "30";\n')
        self.environment = {**os.environ, "APT_CONFIG": str(self.root / "apt.conf"), "LC_ALL": "C.UTF-8"}
        # The machine's own settings override apt.conf. In a container's image they can switch off the cache of the
        # lists; then each call would take seconds.
        self.list_cache = ["-o", "Dir::Cache::pkgcache=pkgcache.bin"]

    def output(self, command, cwd=None):
        environment = getattr(self, "environment", None)
        result = subprocess.run(command, env=environment, cwd=cwd, stdin=subprocess.DEVNULL, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if result.returncode:
            raise LabError("\n".join(line for line in result.stderr.splitlines() if line.startswith(("E:", "W:")))
                           or f"{' '.join(command)} failed: {result.stderr.strip()}")
        return result.stdout

    def update(self):
        """Fetches the mirror's lists, unless they are less than an hour old."""
        stamp = self.root / f"updated-from-{hashlib.sha256(MIRROR.encode()).hexdigest()[:8]}"
        if stamp.exists() and time.time() - stamp.stat().st_mtime < HOUR:
            return
        say(f"fetching the package lists of {self.suite} from {MIRROR} (about 35 MB)")
        self.output(["apt-get", *self.list_cache, "update", "--error-on=any"])
        stamp.touch()

    def describe(self, packages):
        """Returns the newest version of each package NAME:ARCH as {NAME: fields}, with Version, Filename, Size and
        SHA256. No two packages may have the same NAME."""
        shown = self.output(["apt-cache", *self.list_cache, "show", "--no-all-versions", *packages]).strip()
        found = [dict(re.findall(r"^([A-Za-z0-9-]+): (.*)$", each, re.MULTILINE)) for each in shown.split("\n\n")]
        return {fields["Package"]: fields for fields in found}

    def download(self, package, into):
        """Downloads a package. Shows progress on a terminal."""
        command = ["apt-get", *self.list_cache, "download", package]
        if sys.stderr.isatty():
            done = subprocess.run(command, cwd=into, env=self.environment,
                                  stdin=subprocess.DEVNULL, stdout=sys.stderr)
            if done.returncode:
                raise LabError(f"apt-get could not fetch {package}")
        else:
            self.output(command, cwd=into)


def names_to_pin(apt, architecture, with_headers):
    """Returns {role: NAME:ARCH} for the packages of an architecture."""
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
    """Returns the pinned packages of packages.json. Adds missing ones from the mirror's lists."""
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
                       f"{error}\nconnect this machine to {MIRROR} (TACHO_LAB_MIRROR names another mirror), or copy "
                       "a filled cache there") from None
    path.parent.mkdir(exist_ok=True)
    write_whole(path, json.dumps(pins, indent=1))
    return pins


def package_file(cache, architecture, pinned):
    """Returns the path of a pinned package. Fetches it if it is missing or damaged."""
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
                raise LabError("the SHA-256 of the fetched package is not the pinned one")
            fetched.replace(path)
    except LabError as error:
        raise LabError(f"cannot fetch {pinned['package']}, which is missing in {folder}:\n{error}\n"
                       "connect to the mirror; if it has only a newer version, run lab/prepare --update") from None
    return path


def unpack(package, into):
    result = subprocess.run(["dpkg-deb", "--extract", package, into], stderr=subprocess.PIPE, text=True)
    if result.returncode:
        raise LabError(f"cannot unpack {package}: {result.stderr.strip()}\ncheck that {into} has room")


def sums_hold(parts, names):
    try:
        sums = json.loads((parts / "sums.json").read_text())
        return all(sha256(parts / name) == sums.get(name) for name in names)
    except (OSError, ValueError):
        return False


def parts_of(architecture):
    """Returns the directory with the kernel, the device trees, busybox and libpfm.a of an architecture."""
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
    """Returns the directory that a kernel module's Makefile takes as KDIR."""
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
        # The makefiles hold the path where the package would be installed.
        for makefile in (kdir / "Makefile", kdir / ".kernelvariables"):
            if makefile.exists():
                makefile.write_text(makefile.read_text().replace("/usr/src/", f"{tree}/usr/src/"))
        (tree / "complete").touch()
        return kdir


def forget_pins(architecture):
    """Removes the pins, so that the next use takes the mirror's newest packages."""
    with locked() as cache:
        (cache / architecture.debian / "packages.json").unlink(missing_ok=True)
        shutil.rmtree(cache / architecture.debian / "parts", ignore_errors=True)
