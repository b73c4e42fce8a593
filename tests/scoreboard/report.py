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
                   "not_measured": options.skipped, "ratios": ratios(results), "results": results}, file, indent=1)
    with open(f"{options.out}/scoreboard.md", "w") as file:
        file.write(markdown(results, ways, options))
    with open(f"{options.out}/scoreboard.svg", "w") as file:
        file.write(plot.svg(results, ways))


def ratios(results):
    """[median, low, high] of each contender's p50, p99 and p99.9 to those of `unmanaged` and `alone`, by cell; null: too few rounds."""
    return {where: {name: {base: {key: figures.interval(rounds, cell[base], key) for key in ["p50_us", "p99_us", "p999_us"]}
                           for base in ["unmanaged", "alone"] if base in cell and base != name} for name, rounds in cell.items()}
            for where, cell in results.items()}


def markdown(results, ways, options):
    out = [f"Linux {platform.release()}, {os.cpu_count()} CPUs, {options.rounds} rounds of {options.seconds:g} s; medians, in µs; the "
           "ratios have 95 % intervals.", ""]
    out += summary(results, ways) + goals(results)
    for name, cell in results.items():
        out += table(name, cell, ways)
    out += ["| contender | | values that the agent wrote in a round, mean |", "|---|---|---|"]
    out += [f"| {way.name} | {way.what} | {written(results, way.name)} |" for way in ways]
    if options.skipped:
        out += ["", "Not measured:", ""] + [f"- {why}" for why in options.skipped]
    return "\n".join(out) + "\n"


def summary(results, ways):
    """One line per cell and contender."""
    out = ["### Summary", "", "| | | p99 to unmanaged | p99.9 to unmanaged | p99 to alone | batch work | kept rounds |", "|---|" + "---|" * 6]
    for name, cell in results.items():
        for way in ways:
            if way.name in ["alone", "unmanaged"] or way.name not in cell:
                continue
            columns = [figures.compare(cell[way.name], cell.get(base, []), key) for base, key in
                       [("unmanaged", "p99_us"), ("unmanaged", "p999_us"), ("alone", "p99_us")]]
            columns += [scores(cell, way.name)[2], str(len(figures.usable(cell[way.name])[0]))]
            out.append(f"| {name} | {way.name} | " + " | ".join(columns) + " |")
    return out + ["", "† of the latencies from the actual sending, since the generator was late in too many rounds", ""]


CPU_BATCHES = ["spin", "compile", "ffmpeg", "fork", "bandwidth"]


def goals(results, name="installed"):
    """What evenkeel as installed is to reach, in how many of the cells in which it could be told, and where it does not, with what
    was measured there."""
    told = {"p99 not above unmanaged": {}, "p99.9 not above unmanaged": {}, "p99 at most 1.25 times alone (CPU work only)": {},
            "batch work at least 95 % of unmanaged, where the p99 is not below it": {}, "p99 below unmanaged, where one lever's is": {}}
    for where, cell in results.items():
        if not all(way in cell for way in [name, "alone", "unmanaged"]):
            return []
        for goal, reached in zip(told, reached_in(where, cell, name)):
            if reached is not None:
                told[goal][where] = reached
    out = [f"### Goals of `{name}`", "", "| goal | reached in | not in |", "|---|---|---|"]
    for goal, cells in told.items():
        missed = [f"{where}: {why}" for where, why in cells.items() if why]
        out.append(f"| {goal} | {len(cells) - len(missed)} of {len(cells)} cells | {'; '.join(missed)} |")
    return out + [""]


def reached_in(where, cell, name):
    """For each goal: empty if it is reached, else what was measured instead; None: it cannot be told, or is none here."""
    p99, p999 = (figures.interval(cell[name], cell["unmanaged"], key) for key in ["p99_us", "p999_us"])
    to_alone = figures.interval(cell[name], cell["alone"], "p99_us") if where.split(" beside ")[1] in CPU_BATCHES else None
    work, gained = scores(cell, name)[2], p99 and p99[2] < 1
    helps = [f"`{way}` {figures.verdict(found)}" for way, found in levers_that_help(cell, name) if p99]
    return [p99 and ("" if p99[1] <= 1 else figures.verdict(p99)), p999 and ("" if p999[1] <= 1 else figures.verdict(p999)),
            to_alone and ("" if to_alone[0] <= 1.25 else figures.verdict(to_alone)),
            None if gained or not work else "" if float(work.split()[0]) >= 95 else work,
            None if not helps else "" if gained else ", ".join(helps)]


def levers_that_help(cell, name):
    found = {way: figures.interval(rounds, cell["unmanaged"], "p99_us") for way, rounds in cell.items()
             if way not in [name, "alone", "unmanaged"]}
    return [(way, interval) for way, interval in found.items() if interval and interval[2] < 1]


def table(name, cell, ways):
    kind = name.split(" beside ")[1]
    out = [f"### {name}", "", f"| | p50 | p99 | p99.9 | p99 to alone | p99 to unmanaged | p99.9 to unmanaged | {batches.UNITS[kind]}/s | "
           "isolation | latency impact | work conservation | dropped rounds |", "|---|" + "---|" * 11]
    for way in [each for each in ways if each.name in cell]:
        rounds, _, dropped = figures.shown(cell[way.name])
        if not rounds:
            out.append(f"| {way.name} | all rounds dropped |" + " |" * 9 + f" {dropped} |")
            continue
        columns = [figures.shown_median(cell[way.name], key) for key in ["p50_us", "p99_us", "p999_us"]]
        for base, key in [("alone", "p99_us"), ("unmanaged", "p99_us"), ("unmanaged", "p999_us")]:
            columns.append(figures.compare(cell[way.name], cell[base], key) if base in cell and way.name != base else "")
        columns += [f"{figures.middle(rounds, 'work_per_second'):.1f}"] + scores(cell, way.name) + [str(dropped)]
        out.append(f"| {way.name} | " + " | ".join(columns) + " |")
    return out + ["", offered(cell), ""]


def offered(cell):
    """What the load was in this cell, whoever ran beside it."""
    rounds = [each for rounds in cell.values() for each in figures.undisturbed(rounds)]
    if not rounds:
        return "No round was undisturbed."
    late = [f"{figures.middle(rounds, key):.0f} µs, at most {max(each[key] for each in rounds):.0f} µs" for key in
            ["late_p99_us", "late_p999_us"]]
    return (f"{figures.middle(rounds, 'per_second'):.0f} requests a second were answered. Lateness of the load generator: its p99 was "
            f"{late[0]}, and that at p99.9 {late[1]}.")


def scores(cell, name):
    """In the manner of resctl-bench, in percent: p99 alone over p99 (at most 100), p99 above that of the service alone, batch
    work done over that of unmanaged."""
    out = ["", "", ""]
    latencies = figures.comparable(cell[name], cell.get("alone", []), "p99_us")
    if all(latencies):
        impact = figures.median(latencies[0]) / figures.median(latencies[1])
        out[:2] = [f"{min(100, 100 / impact):.0f} %", f"{100 * (impact - 1):+.0f} %"]
    ours, base = figures.undisturbed(cell[name]), figures.undisturbed(cell.get("unmanaged", []))
    if ours and base and figures.middle(ours, "work_per_second") > 0:
        out[2] = f"{100 * figures.middle(ours, 'work_per_second') / figures.middle(base, 'work_per_second'):.0f} %"
    return out


def written(results, name):
    """The levers that this contender's agent used, and how often in each round."""
    rounds = [each for cell in results.values() for each in cell.get(name, [])]
    files = sorted({file for each in rounds for file in each["written"]})
    return ", ".join(f"`{file}` {sum(each['written'].get(file, 0) for each in rounds) / len(rounds):.1f}" for file in files)
