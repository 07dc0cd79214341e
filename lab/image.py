"""Makes the initramfs of a board, with everything that runs on it."""
import glob
import pathlib
import shutil
import subprocess
import tempfile

import cache
from errors import LabError

ROOT = pathlib.Path(__file__).resolve().parents[1]

# The files to copy: from the directory of the cross build to the board's /opt/tacho.
BUILT = {
    "bin/*": "bin",
    "examples/*": "examples",
    "tests/cli/workloads/*": "workloads",
    "tests/lab/programs/*": "programs",
    "kmod/*.ko": "modules",
}


def build_directory(architecture):
    return ROOT / "build" / architecture.preset


def run_tool(command, *, package, **options):
    """Runs a tool and returns its output. Errors hold the tool's package and its own message."""
    if not shutil.which(command[0]):
        raise LabError(f"{command[0]} is not installed\ninstall the lab's packages: packaging/setup lab")
    result = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    if result.returncode:
        raise LabError(f"{command[0]} (package {package}) failed: {result.stderr.decode().strip()}")
    return result.stdout


def is_program(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def make_initramfs(board, path, extra=()):
    """Packs busybox, the agent, tacho with its data, the examples and the tests' programs. `extra` files go into the
    board's /opt/tacho, too."""
    built = build_directory(board.architecture)
    if not (built / "bin/tacho").exists():
        raise LabError(f"{built}/bin/tacho is missing: the board has nothing to run\nbuild it: lab/prepare {board.name}")
    with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
        root = pathlib.Path(scratch)
        for folder in ("bin", "etc", "opt/tacho/share/tacho"):
            (root / folder).mkdir(parents=True)
        shutil.copy(cache.parts_of(board.architecture) / "busybox", root / "bin")
        shutil.copy(ROOT / "lab/init", root)
        for file in (root / "bin/busybox", root / "init"):
            file.chmod(0o755)
        (root / "etc/passwd").write_text("root:x:0:0::/root:/bin/sh\nuser:x:1000:1000::/tmp:/bin/sh\n")
        (root / "etc/group").write_text("root:x:0:\nuser:x:1000:\n")
        for pattern, folder in BUILT.items():
            (root / "opt/tacho" / folder).mkdir(exist_ok=True)
            for file in filter(pathlib.Path.is_file, map(pathlib.Path, glob.glob(str(built / pattern)))):
                if is_program(file):
                    shutil.copy(file, root / "opt/tacho" / folder, follow_symlinks=False)  # rpistat is a link to tacho
        for file in extra:
            shutil.copy(file, root / "opt/tacho")
        for entry in ("metrics.toml", "waits.toml", "sets", "reports", "events"):
            source = ROOT / "data" / entry
            target = root / "opt/tacho/share/tacho" / entry
            shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
        for entry in (root, *root.rglob("*")):  # here mkdtemp and the umask chose the modes
            entry.chmod(0o755 if entry.is_dir() or entry.stat().st_mode & 0o111 else 0o644)
        names = "\0".join(str(entry.relative_to(root)) for entry in sorted(root.rglob("*"))) + "\0"
        packed = run_tool(["cpio", "--create", "--format=newc", "--null", "--quiet", "--owner=0:0"],
                          package="cpio", cwd=root, input=names.encode())
        path.write_bytes(packed)
