"""Makes a board's device tree: QEMU's own, with the PMUs that a kernel has to find."""
import re

from image import run_tool

PACKAGE = "device-tree-compiler"
# The overflow interrupt of QEMU's PMUs: a private peripheral interrupt (1), number 7, level-triggered. A GIC of version
# 2 also wants the mask of the cores that it goes to: here the first two (0x300).
PRIVATE, NUMBER, LEVEL, LEVEL_OF_GIC2 = 1, 7, 4, 0x304
# The nodes that unequal cores do without: all have interrupts that would have to be rewritten, and no board uses them.
UNUSED = r"virtio_mmio@|pcie@|gpio-keys|pl061@"


def put(path, node, name, *words):
    run_tool(["fdtput", "-p", "-t", "x", path, node, name, *(f"{word:x}" for word in words)], package=PACKAGE)


def put_text(path, node, name, text):
    run_tool(["fdtput", "-p", "-t", "s", path, node, name, text], package=PACKAGE)


def words_of(path, node, name):
    return [int(word, 16) for word in run_tool(["fdtget", "-t", "x", path, node, name], package=PACKAGE).split()]


def nodes_of(path, node):
    return run_tool(["fdtget", "-l", path, node], package=PACKAGE).decode().split()


def make_device_tree(board, path):
    run_tool([board.architecture.qemu, "-M", f"{board.machine},dumpdtb={path}", "-cpu", board.cpu, "-smp", board.cpus,
              "-nodefaults", "-display", "none"], package="qemu-system-arm")
    if board.pmu_node:
        put_text(path, "/pmu", "compatible", board.pmu_node)
        put(path, "/pmu", "interrupts", PRIVATE, NUMBER, LEVEL_OF_GIC2)
    else:
        make_cores_unequal(board, path)


def make_cores_unequal(board, path):
    """Gives each CPU its own core type and PMU. The PMUs share the number of their interrupt, and each has its CPU's part
    of it, as on boards with a GIC of version 3 (arm,gic-v3.yaml, ppi-partitions). So an interrupt needs a fourth word."""
    nodes = nodes_of(path, "/")
    controller = next(f"/{node}" for node in nodes if node.startswith("intc@"))
    run_tool(["fdtput", "-r", path, "/pmu", *(f"/{node}" for node in nodes if re.match(UNUSED, node))], package=PACKAGE)
    for device in ("/timer", *(f"/{node}" for node in nodes if re.match("pl0[13]1@", node))):
        old = words_of(path, device, "interrupts")
        put(path, device, "interrupts", *(word for at in range(0, len(old), 3) for word in (*old[at:at + 3], 0)))
    put(path, controller, "#interrupt-cells", 4)
    for cpu, core in enumerate(board.core_types):
        part = f"{controller}/ppi-partitions/interrupt-partition-{cpu}"
        handle = 0x9000 + cpu  # QEMU's begin at 0x8000
        put(path, part, "affinity", *words_of(path, f"/cpus/cpu@{cpu}", "phandle"))
        put(path, part, "phandle", handle)
        put_text(path, f"/cpus/cpu@{cpu}", "compatible", core)
        put_text(path, f"/pmu-{cpu}", "compatible", f"{core}-pmu")
        put(path, f"/pmu-{cpu}", "interrupts", PRIVATE, NUMBER, LEVEL, handle)
