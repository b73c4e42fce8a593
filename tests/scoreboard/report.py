"""The scoreboard as JSON and as markdown tables."""

import json
import os
import platform

import batches
import figures
import plot


def write(results, ways, options):
    with open(f"{options.out}/scoreboard.json", "w") as file:
        json.dump({"kernel": platform.release(), "cpus": os.cpu_count(), "seconds": options.seconds, "rounds": options.rounds,
                   "results": results}, file, indent=1)
    with open(f"{options.out}/scoreboard.md", "w") as file:
        file.write(markdown(results, ways, options))
    with open(f"{options.out}/scoreboard.svg", "w") as file:
        file.write(plot.svg(results, ways))


def markdown(results, ways, options):
    out = [f"Linux {platform.release()}, {os.cpu_count()} CPUs, {options.rounds} rounds of {options.seconds:g} s; medians, in µs; the "
           "ratios have 95 % intervals.", ""]
    out += summary(results, ways)
    for name, cell in results.items():
        out += table(name, cell, ways)
    out += ["| contender | |", "|---|---|"] + [f"| {way.name} | {way.what} |" for way in ways]
    return "\n".join(out) + "\n"


def against(kept, base, key, rounds):
    """The ratio of these rounds to those of another contender, in words."""
    others = kept.get(base, ([], 0))[0]
    return figures.verdict(figures.ratio([r[key] for r in rounds], [r[key] for r in others]))


def summary(results, ways):
    """One line per cell and contender."""
    out = ["### Summary", "", "| | | p99 to unmanaged | p99.9 to unmanaged | p99 to alone | batch work | kept rounds |", "|---|" + "---|" * 6]
    for name, cell in results.items():
        kept = {way: figures.usable(rounds) for way, rounds in cell.items()}
        for way in ways:
            if way.name in ["alone", "unmanaged"]:
                continue
            rounds = kept[way.name][0]
            columns = [against(kept, base, key, rounds) for base, key in
                       [("unmanaged", "p99_us"), ("unmanaged", "p999_us"), ("alone", "p99_us")]]
            out.append(f"| {name} | {way.name} | " + " | ".join(columns + [scores(rounds, kept)[2], str(len(rounds))]) + " |")
    return out + [""]


def table(name, cell, ways):
    kind = name.split(" beside ")[1]
    kept = {way: figures.usable(rounds) for way, rounds in cell.items()}
    out = [f"### {name}", "", f"| | p50 | p99 | p99.9 | p99 to alone | p99 to unmanaged | p99.9 to unmanaged | {batches.UNITS[kind]}/s | "
           "isolation | latency impact | work conservation | dropped rounds |", "|---|" + "---|" * 11]
    for way in ways:
        rounds, dropped = kept[way.name]
        if not rounds:
            out.append(f"| {way.name} | all rounds dropped |" + " |" * 9 + f" {dropped} |")
            continue
        middle = lambda key: figures.median([r[key] for r in rounds])
        columns = [f"{middle('p50_us'):.0f}", f"{middle('p99_us'):.0f}", f"{middle('p999_us'):.0f}"]
        for base, key in [("alone", "p99_us"), ("unmanaged", "p99_us"), ("unmanaged", "p999_us")]:
            columns.append(against(kept, base, key, rounds) if kept.get(base, ([], 0))[0] and way.name != base else "")
        columns += [f"{middle('work_per_second'):.1f}"] + scores(rounds, kept) + [str(dropped)]
        out.append(f"| {way.name} | " + " | ".join(columns) + " |")
    return out + [""]


def scores(rounds, kept):
    """In the manner of resctl-bench, in percent: p99 alone over p99 (at most 100), p99 above that of the service alone, batch
    work done over that of unmanaged."""
    middle = lambda some, key: figures.median([r[key] for r in some])
    alone, unmanaged = kept.get("alone", ([], 0))[0], kept.get("unmanaged", ([], 0))[0]
    if not alone or not rounds:
        return ["", "", ""]
    impact = middle(rounds, "p99_us") / middle(alone, "p99_us")
    work = 100 * middle(rounds, "work_per_second") / middle(unmanaged, "work_per_second") if unmanaged else 0
    return [f"{min(100, 100 / impact):.0f} %", f"{100 * (impact - 1):+.0f} %", f"{work:.0f} %" if work else ""]
