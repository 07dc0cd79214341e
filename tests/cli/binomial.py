"""Whether a coverage that was seen disproves the one that was promised."""
import math


def fewest_held(number, coverage=0.93, risk=0.01):
    """The fewest of `number` intervals that may hold the truth before `coverage` is disproved: with
    it, fewer hold with a probability of at most `risk` (binomial)."""
    below = 0
    for held in range(number + 1):
        below += math.comb(number, held) * coverage ** held * (1 - coverage) ** (number - held)
        if below > risk:
            return held
    return number
