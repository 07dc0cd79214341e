"""Builds what runs on the boards, with CMake's cross presets."""
import os
import subprocess

import cache
import image
from boards import BOARDS
from errors import LabError

# Written by the run that it belongs to, shown only if that fails.
LOG = "lab.log"


def build(architecture, parts):
    """Cross-builds tacho and what runs beside it. Quick when nothing has changed."""
    built = image.build_directory(architecture)
    built.mkdir(parents=True, exist_ok=True)
    with open(built / LOG, "w") as log:
        for command in (["cmake", "--preset", architecture.preset, f"-DLIBPFM_LIBRARY={parts / 'libpfm.a'}",
                         *os.environ.get("CMAKE_FLAGS", "").split()],
                        ["cmake", "--build", "--preset", architecture.preset,
                         "--parallel", os.environ.get("JOBS", str(os.cpu_count()))]):
            try:
                done = subprocess.run(command, cwd=image.ROOT, stdout=log, stderr=subprocess.STDOUT)
            except FileNotFoundError:
                raise LabError("cmake is not installed\ninstall what the lab needs: packaging/setup build lab") from None
            if done.returncode:
                last = (built / LOG).read_text().splitlines()[-25:]
                raise LabError(f"the cross build for {architecture.preset} failed; the end of {built / LOG}:\n"
                               + "\n".join(last) + "\nare its tools there? packaging/setup build lab")


def prepare(names, update=False, fetch_only=False):
    for architecture in dict.fromkeys(BOARDS[name].architecture for name in names):
        if update:
            cache.forget_pins(architecture)
        parts = cache.parts_of(architecture)
        if not fetch_only:
            cache.say(f"building for {architecture.preset}")
            build(architecture, parts)
