"""Medians, and intervals of ratios by bootstrap."""

import functools
import random


def median(values):
    ordered = sorted(values)
    n = len(ordered)
    return (ordered[(n - 1) // 2] + ordered[n // 2]) / 2 if n else float("nan")


LEAST_ROUNDS = 3  # resampling fewer would make a narrow interval of nothing


def ratio(ours, base):
    """(median of ours / median of base, low, high), by resampling the rounds of each side. None: too few rounds."""
    return resampled(tuple(ours), tuple(base))


@functools.cache  # tables are written after each cell
def resampled(ours, base, samples=2000, confidence=0.95, seed=1):
    if min(len(ours), len(base)) < LEAST_ROUNDS:
        return None
    draw = random.Random(seed)
    middle = median(ours) / median(base)
    ratios = sorted(median(draw.choices(ours, k=len(ours))) / median(draw.choices(base, k=len(base)))
                    for _ in range(samples))
    tail = (1 - confidence) / 2
    return middle, ratios[int(tail * samples)], ratios[int((1 - tail) * samples) - 1]


def verdict(interval):
    if interval is None:
        return "too few rounds"
    middle, low, high = interval
    if low <= 1 <= high:
        return f"no difference ({low:.2f}–{high:.2f})"
    return f"{middle:.2f} ({low:.2f}–{high:.2f})"


def undisturbed(rounds):
    """Rounds in which every request was answered and the hypervisor took little."""
    return [r for r in rounds if r["stolen_percent"] < 2 and not r["unanswered"]]


def usable(rounds, key="p99_us"):
    """Those of them in which the generator was on time for this latency, too: the p99.9 needs its lateness at p99.9, since a
    virtual machine that stands still for 5 ms a few times delays no more than one request in a thousand. (kept, dropped)"""
    late = "late_p999_us" if key == "p999_us" else "late_p99_us"
    kept = [r for r in undisturbed(rounds) if r[late] < max(100, 0.05 * r[key])]
    return kept, len(rounds) - len(kept)


def shown(rounds, key="p99_us"):
    """(rounds, prefix of this latency, how many were dropped): "sent_" where the generator was late in too many."""
    kept, dropped = usable(rounds, key)
    if len(kept) >= LEAST_ROUNDS:
        return kept, "", dropped
    kept = undisturbed(rounds)
    return kept, "sent_", len(rounds) - len(kept)


def comparable(ours, base, key):
    """The latencies of two contenders' rounds, from the intended time; from the actual sending, if the generator was late in too
    many rounds of one."""
    both = [usable(rounds, key)[0] for rounds in [ours, base]]
    if min(map(len, both)) >= LEAST_ROUNDS:
        return [[r[key] for r in rounds] for rounds in both]
    return [[r["sent_" + key] for r in undisturbed(rounds)] for rounds in [ours, base]]


def interval(ours, base, key):
    """(ratio of the medians, low, high) of two contenders' rounds; None: too few."""
    return ratio(*comparable(ours, base, key))


def compare(ours, base, key):
    """The ratio of two contenders' rounds, in words; with a dagger, if it is of the latencies from the actual sending."""
    late = any(shown(rounds, key)[1] for rounds in [ours, base])
    return verdict(interval(ours, base, key)) + (" †" if late else "")


def shown_median(rounds, key):
    """In words; with a dagger, if it is of the latencies from the actual sending."""
    kept, prefix, _ = shown(rounds, key)
    return f"{middle(kept, prefix + key):.0f}" + (" †" if prefix else "")


def middle(rounds, key):
    return median([r[key] for r in rounds])
