"""Estimates of turned events and their intervals, as docs/explanation/statistics.md tells them."""
import math
import statistics


def student95(freedom):
    """Student's t that 2.5 % of the distribution exceed, by Simpson's rule and bisection."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)

    def below(t, steps=400):
        step = t / steps
        return step / 3 * sum((1 if i in (0, steps) else 4 if i % 2 else 2) *
                              scale * (1 + (i * step) ** 2 / freedom) ** (-(freedom + 1) / 2) for i in range(steps + 1))
    low, high = 1.0, 40.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < 0.475 else (low, middle)
    return low


def expansions(turns, ends, sets):
    """By turn (place, covered): its stretch of the run over what the stretch's four turns or more covered of it."""
    first, begin, found = 0, 0, []
    for i, (place, _) in enumerate(turns):
        last = i + 1 == len(turns)
        end = ends[-1] if last else (ends[place] + ends[turns[i + 1][0] - 1]) / 2
        covered = sum(c for _, c in turns[first:i + 1])
        full = i + 1 - first >= 4 and len(turns) - i > 4 and covered > 0 and covered >= (end - begin) / sets / 2
        if last or full:
            found += [(end - begin) / covered if covered else 0] * (i + 1 - first)
            first, begin = i + 1, end
    return found


def estimate(turns, counts, ends, sets, whole):
    """The estimate, the pull of each turn, and the reference that it stands for: docs/explanation/statistics.md."""
    expansion = expansions(turns, ends, sets)
    stood = [q * c for q, (_, c) in zip(expansion, turns)]
    grows = [q * whole / sum(stood) for q in expansion]
    pulls = [0]
    for i in range(1, len(turns)):
        (_, c), (_, d), q, r = *turns[i - 1:i + 1], *grows[i - 1:i + 1]
        step = (counts[i] / d - counts[i - 1] / c) * math.sqrt(c * d * (q * q + r * r) / 2) if c and d else 0
        pulls.append(pulls[-1] + step)
    return sum(y * q for y, q in zip(counts, grows)), pulls, stood


def half_width(pulls, weights):
    """As docs/explanation/statistics.md tells it: second differences, what unequal turns weigh, skewness."""
    n, mean = len(pulls), statistics.mean(pulls)
    inner = sum((a - 2 * b + c) ** 2 for a, b, c in zip(pulls, pulls[1:], pulls[2:])) / 6
    variance = n / (n - 1) * (inner + ((pulls[0] - pulls[1]) ** 2 + (pulls[-1] - pulls[-2]) ** 2) / 2)
    m = max(2, sum(weights) ** 2 / sum(w * w for w in weights))
    t = student95(max(1, 18 * m * m / (35 * m + 8) - 1))
    skewness = sum((p - mean) ** 3 for p in pulls) / sum((p - mean) ** 2 for p in pulls) ** 1.5
    limited = min(t, 3)
    return t * (1 + skewness ** 2 * (limited ** 4 + 2 * limited ** 2 - 3) / 18) * math.sqrt(variance)


def stolen_share(end):
    """The part of task-clock that the kernel did not charge; 0 above 0.3, where children were not waited for."""
    stolen = 1 - (end["user_s"] + end["system_s"]) * 1e9 / end["reference_total"]
    return stolen if 0 < stolen <= 0.3 else 0


def progress(references, longest, stolen_share):
    """The reference of each period less stolen time: out of the periods above `longest` first, the rest out of all."""
    total = sum(references)
    excess = [max(0, reference - longest) for reference in references]
    located = min(stolen_share * total, sum(excess))
    left = (total - stolen_share * total) / (total - located)
    return [(r - (x * located / sum(excess) if located else 0)) * left for r, x in zip(references, excess)]
