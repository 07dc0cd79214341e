"""The boards: what each emulates, and why it is there. Everything else in lab/ follows this table."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Architecture:
    """What the boards of one architecture share."""
    debian: str   # Debian's name for it
    kernel: str   # the Debian package that names the newest kernel
    qemu: str
    preset: str   # the CMake preset of its cross build
    triplet: str  # of its cross compiler
    linux: str    # the kernel's own name for it (ARCH=)
    device_trees: tuple[str, ...] = ()  # of its kernel package, those that boards name


@dataclasses.dataclass(frozen=True)
class Board:
    name: str
    about: str
    architecture: Architecture
    cpu: str | None = None  # None: the machine's own
    cpus: int = 1
    machine: str = "virt"
    memory: int = 512  # MB; a real machine's is what it is
    nodes: int = 1  # of NUMA, each with as many of the CPUs and as much of the memory
    # A real machine's device tree, out of the kernel's package. None: QEMU makes one.
    device_tree: str | None = None
    kernel_words: str = ""  # for the kernel's command line
    # Instructions take 2^shift ns of the board's time each, so that instruction counts are exact and
    # cycles = instructions × 2^shift. QEMU can do so for one CPU only. None: as fast as it goes.
    icount_shift: int | None = None
    # What QEMU leaves out of the board's device tree: `compatible` of its pmu node.
    pmu_node: str | None = None


ARM64 = Architecture("arm64", "linux-image-arm64", "qemu-system-aarch64", "aarch64", "aarch64-linux-gnu", "arm64")
ARMV7 = Architecture("armhf", "linux-image-armmp", "qemu-system-arm", "armv7", "arm-linux-gnueabihf", "arm",
                     ("bcm2836-rpi-2-b.dtb",))
ARMV6 = Architecture("armel", "linux-image-rpi", "qemu-system-arm", "armv6", "arm-linux-gnueabi", "arm",
                     ("bcm2835-rpi-zero.dtb",))

BOARDS = {board.name: board for board in (
    Board("arm64", "Cortex-A57, exact instruction counts", ARM64, "cortex-a57", icount_shift=1),
    Board("arm64-smp", "two Cortex-A57, a NUMA node each", ARM64, "cortex-a57", cpus=2, nodes=2, icount_shift=1),
    Board("arm64-nopmu", "Cortex-A53 without a PMU", ARM64, "cortex-a53,pmu=off"),
    Board("armv7", "Cortex-A15, exact instruction counts", ARMV7, "cortex-a15", icount_shift=1,
          pmu_node="arm,cortex-a15-pmu"),
    Board("armv7-smp", "two Cortex-A15", ARMV7, "cortex-a15", cpus=2, pmu_node="arm,cortex-a15-pmu"),
    Board("raspi2b", "Raspberry Pi 2: four Cortex-A7", ARMV7, cpus=4, machine="raspi2b", memory=1024,
          device_tree="bcm2836-rpi-2-b.dtb"),
    # Its driver of the power domains waits for a firmware that QEMU does not have.
    Board("armv6", "Raspberry Pi Zero: ARM1176, whose counters QEMU does not emulate", ARMV6, machine="raspi0",
          device_tree="bcm2835-rpi-zero.dtb", kernel_words="initcall_blacklist=bcm2835_power_driver_init"),
)}
