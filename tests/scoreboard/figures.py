"""Medians, and intervals of ratios by bootstrap."""

import random


def median(values):
    ordered = sorted(values)
    n = len(ordered)
    return (ordered[(n - 1) // 2] + ordered[n // 2]) / 2 if n else float("nan")


LEAST_ROUNDS = 3  # resampling fewer would make a narrow interval of nothing


def ratio(ours, base, samples=2000, confidence=0.95, seed=1):
    """(median of ours / median of base, low, high), by resampling the rounds of each side. None: too few rounds."""
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


def usable(rounds):
    """Rounds in which the generator was on time and the hypervisor took little. (kept, dropped)"""
    kept = [r for r in rounds if r["late_p99_us"] < max(100, 0.05 * r["p99_us"]) and r["stolen_percent"] < 2
            and not r["unanswered"]]
    return kept, len(rounds) - len(kept)
