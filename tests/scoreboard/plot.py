"""The scoreboard as a picture: p99 of each contender in each cell, every round a dot, the median a bar."""

import math

import figures

LEFT, TOP, ROW, WIDTH = 220, 40, 22, 520


def svg(results, ways):
    """Logarithmic from 50 us to 100 ms."""
    rows, y = [], TOP
    for name, cell in results.items():
        rows.append(text(10, y, name, "bold"))
        y += ROW
        for way in [each for each in ways if each.name in cell]:
            kept, prefix, _ = figures.shown(cell[way.name])
            rows.append(text(20, y, way.name))
            for each in kept:
                rows.append(f'<circle cx="{x_of(each[prefix + "p99_us"]):.1f}" cy="{y - 4}" r="3" fill="#4477aa" fill-opacity="0.6"/>')
            if kept:
                x = x_of(figures.median([each[prefix + "p99_us"] for each in kept]))
                rows.append(f'<line x1="{x:.1f}" y1="{y - 11}" x2="{x:.1f}" y2="{y + 3}" stroke="#cc3311" stroke-width="2"/>')
            y += ROW
        y += ROW // 2
    for us, label in [(100, "0.1 ms"), (1000, "1 ms"), (10000, "10 ms"), (100000, "100 ms")]:
        rows.append(f'<line x1="{x_of(us):.1f}" y1="{TOP - 12}" x2="{x_of(us):.1f}" y2="{y - ROW}" stroke="#bbbbbb"/>')
        rows.append(text(x_of(us) - 18, TOP - 18, label))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 60}" height="{y}" font-family="sans-serif" '
            f'font-size="12"><rect width="100%" height="100%" fill="white"/>' + "".join(rows) + "</svg>\n")


def x_of(us):
    return LEFT + WIDTH * (math.log10(max(50, min(us, 100000))) - math.log10(50)) / (5 - math.log10(50))


def text(x, y, content, weight="normal"):
    return f'<text x="{x:.0f}" y="{y}" font-weight="{weight}">{content}</text>'
