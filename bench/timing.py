"""Shared by the benches: time a command, keep the CPUs busy, and summarise many times."""
import contextlib
import math
import os
import statistics
import subprocess
import sys
import time


def cost(argv, **environment):
    """Runs a command once. Returns wall seconds, CPU seconds and peak memory in MB.

    CPU seconds include the children that the command waited for. `environment` is added to this process's own."""
    null = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, null, fd) for fd in (0, 1, 2)]
    begun = time.perf_counter()
    pid = os.posix_spawnp(argv[0], argv, {**os.environ, **environment}, file_actions=actions)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - begun
    os.close(null)
    if status != 0:
        command = " ".join(map(str, argv))
        sys.exit(f"failed with exit status {os.waitstatus_to_exitcode(status)}: {command}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6


def once(argv, **environment):
    """Runs a command once. Returns wall and CPU seconds."""
    return cost(argv, **environment)[:2]


def in_turn(commands, rounds, measured=once):
    """Runs the commands in turn (A B C C B A A B C …), after one run of each to warm up.

    Returns {name: the results of `measured`, one a round}. The order changes, so that neither a drift of the machine's
    speed nor the command before favours one of them."""
    for argv in commands.values():
        measured(argv)
    found = {name: [] for name in commands}
    order = list(commands)
    for _ in range(rounds):
        for name in order:
            found[name].append(measured(commands[name]))
        order.reverse()
    return found


@contextlib.contextmanager
def busy_cpus():
    """One loop keeps each CPU busy meanwhile. It ends with this process, too, even if that is killed."""
    loops = [subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "taskset", "-c", str(cpu), "sh", "-c", "while :; do :; done"])
             for cpu in os.sched_getaffinity(0)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def median_and_interval(values):
    """Returns the median and its 95 % interval, from order statistics; no distribution is assumed.

    See W. J. Conover, Practical Nonparametric Statistics, 3rd ed., section 3.2."""
    values, below, outside = sorted(values), 0, 0.0
    while (tail := outside + math.comb(len(values), below) / 2 ** len(values)) <= 0.025:
        below, outside = below + 1, tail
    return statistics.median(values), values[max(below - 1, 0)], values[-max(below, 1)]
