"""How the benches time a command, and what they say of many times."""
import math
import os
import statistics
import sys
import time


def cost(argv, **environment):
    """Wall and CPU seconds and the peak of memory in MB of one run, with the children that it waited for.
    `environment` is added to this one."""
    null = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, null, fd) for fd in (0, 1, 2)]
    begun = time.perf_counter()
    pid = os.posix_spawnp(argv[0], argv, {**os.environ, **environment}, file_actions=actions)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - begun
    os.close(null)
    if status != 0:
        sys.exit(f"failed: {' '.join(argv)} (status {status})")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6


def once(argv, **environment):
    """Wall and CPU seconds of one run."""
    return cost(argv, **environment)[:2]


def in_turn(commands, rounds, measured=once):
    """{name: what `measured` says of its command, a round each}: A B C C B A A B C …, so that neither a machine whose
    speed drifts nor what ran just before favours one of them, after one run each to warm up."""
    for argv in commands.values():
        measured(argv)
    found = {name: [] for name in commands}
    order = list(commands)
    for _ in range(rounds):
        for name in order:
            found[name].append(measured(commands[name]))
        order.reverse()
    return found


def median_and_interval(values):
    """The median, and the order statistics that hold the true one at least 95 times in 100, whatever the
    distribution (W. J. Conover, Practical Nonparametric Statistics, 3rd ed., section 3.2)."""
    values, below, outside = sorted(values), 0, 0.0
    while (tail := outside + math.comb(len(values), below) / 2 ** len(values)) <= 0.025:
        below, outside = below + 1, tail
    return statistics.median(values), values[max(below - 1, 0)], values[-max(below, 1)]
