"""Two plots as SVG: what share of its limit each kernel reaches, and the roofline."""
import math
from html import escape

from facts import BEST, GFLOP

INK, QUIET, GRID = "#222222", "#777777", "#dddddd"
OURS_COLOR, PEER_COLOR, BAR_COLOR = "#1f5fa8", "#b9c4cf", "#c23b22"
MOST = 1.5  # of the limit: longer bars end there


class Svg:
    def __init__(self, width, height):
        self.width, self.height = width, height
        self.parts = [f'<rect width="{width}" height="{height}" fill="white"/>']

    def text(self, x, y, words, anchor="start", color=INK, size=12):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}" font-size="{size}">'
                          f"{escape(words)}</text>")

    def line(self, x0, y0, x1, y1, color=GRID, width=1.0, dash=""):
        extra = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" stroke="{color}" '
                          f'stroke-width="{width}"{extra}/>')

    def rect(self, x, y, width, height, color):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.5):.1f}" height="{height:.1f}" fill="{color}"/>')

    def dot(self, x, y, color, filled=True):
        fill = color if filled else "white"
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{fill}" stroke="{color}" stroke-width="1.5"/>')

    def __str__(self):
        body = "\n".join(self.parts)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
                f'font-family="sans-serif">\n{body}\n</svg>\n')


def bars(m):
    """Each kernel's rate as a share of its limit: kdslc, the best peer, and a mark where the bar is."""
    kernels = [k for k in m.kernels if m.rate(k, "kdslc") and m.limit(k, k.limit)]
    left, top, row, width = 130, 56, 34, 620
    svg = Svg(left + width + 130, top + row * len(kernels) + 40)

    def across(share):
        return width * min(share, MOST) / MOST

    svg.text(left, 20, "Share of the machine's measured limit", size=15)
    for x, color, words in ((left, OURS_COLOR, "kdslc"), (left + 90, PEER_COLOR, BEST), (left + 190, BAR_COLOR, "bar")):
        svg.rect(x, 30, 12 if words != "bar" else 3, 12, color)
        svg.text(x + 18, 40, words, size=11)
    bottom = top + row * len(kernels)
    for tick in range(int(MOST * 4) + 1):
        x = left + across(tick / 4)
        svg.line(x, top, x, bottom, GRID if tick != 4 else QUIET)
        svg.text(x, bottom + 16, f"{tick / 4:.2f}", "middle", QUIET, 11)
    for i, kernel in enumerate(kernels):
        y, limit = top + row * i, m.limit(kernel, kernel.limit)
        peer, name = m.best_peer(kernel)
        svg.text(left - 8, y + 20, kernel.name, "end")
        svg.rect(left, y + 4, across(m.rate(kernel, "kdslc") / limit), 13, OURS_COLOR)
        if peer:
            svg.rect(left, y + 18, across(peer / limit), 9, PEER_COLOR)
        needed = m.needed(kernel, kernel.bar)[0]
        if needed:
            x = left + across(needed / limit)
            svg.line(x, y + 2, x, y + 29, BAR_COLOR, 2.5)
        svg.text(left + width + 8, y + 15, f"of {kernel.limit}", color=QUIET, size=11)
        svg.text(left + width + 8, y + 27, f"peer: {name}" if name else "", color=QUIET, size=9)
    return str(svg)


def intensity(m, kernel):
    """Operations for each byte that has to move; mandelbrot's are counted, for each pixel of 4 bytes."""
    if kernel.name == "mandelbrot":
        return m.rate(kernel, "kdslc") * 1e9 * m.seconds(kernel, "kdslc") / (4 * 2048**2)
    return kernel.flops_per_byte


def roofline(m):
    kernels = [k for k in m.kernels if m.rate(k, "kdslc") and intensity(m, k)]
    peak = max((m.limit(k, "fma_peak") or 0 for k in m.kernels), default=0)
    read = max((m.limit(k, "read") or 0 for k in m.kernels), default=0)
    cache = max((m.limit(k, "copy_l3") or 0 for k in m.kernels), default=0)
    left, top, width, height = 70, 50, 720, 460
    svg = Svg(left + width + 30, top + height + 50)
    x_lo, x_hi = -4, 13  # powers of two
    rates = [m.rate(k, who) * (1 if k.unit == GFLOP else intensity(m, k)) for k in kernels
             for who in ("kdslc", m.best_peer(k)[1]) if who]
    y_hi = math.ceil(math.log2(max([peak, *rates, 1]))) + 0.5
    y_lo = math.floor(math.log2(min([*rates, 1])))

    def px(x):
        return left + width * (math.log2(x) - x_lo) / (x_hi - x_lo)

    def py(y):
        return top + height * (y_hi - math.log2(y)) / (y_hi - y_lo)

    svg.text(left, 20, "Roofline: GFLOP/s over operations for each byte that has to move", size=15)
    svg.dot(left + 6, 36, OURS_COLOR)
    svg.text(left + 16, 40, "kdslc", size=11)
    svg.dot(left + 76, 36, QUIET, filled=False)
    svg.text(left + 86, 40, BEST, size=11)
    for power in range(x_lo, x_hi + 1, 2):
        svg.line(px(2.0**power), top, px(2.0**power), top + height)
        svg.text(px(2.0**power), top + height + 18, f"1/{2**-power}" if power < 0 else str(2**power), "middle", QUIET, 11)
    for power in range(y_lo, int(y_hi) + 1):
        svg.line(left, py(2.0**power), left + width, py(2.0**power))
        svg.text(left - 8, py(2.0**power) + 4, f"{2.0**power:g}", "end", QUIET, 11)
    svg.text(left + width, top + height + 38, "operations a byte", "end", QUIET, 11)
    for bandwidth, words, dash, legend in ((read, "read memory", "", 190), (cache, "copy in the last-level cache", "5 4", 390)):
        if peak and bandwidth:
            svg.line(left + legend - 34, 36, left + legend - 6, 36, INK, 1.5, dash)
            svg.text(left + legend, 40, f"{words}, {bandwidth:.0f} GB/s", size=11)
            start = max(2.0**x_lo, 2.0**y_lo / bandwidth)
            svg.line(px(start), py(bandwidth * start), px(peak / bandwidth), py(peak), INK, 1.5, dash)
    if peak and read:
        svg.line(px(peak / max(read, cache)), py(peak), left + width, py(peak), INK, 1.5)
        svg.text(left + width, py(peak) - 6, f"f32 peak, {peak:.0f} GFLOP/s", "end", QUIET, 10)
    for kernel in kernels:
        x, scale = px(intensity(m, kernel)), 1 if kernel.unit == GFLOP else intensity(m, kernel)
        ours, (peer, _) = m.rate(kernel, "kdslc") * scale, m.best_peer(kernel)
        if peer:
            svg.line(x, py(peer * scale), x, py(ours), QUIET)
            svg.dot(x, py(peer * scale), QUIET, filled=False)
        svg.dot(x, py(ours), OURS_COLOR)
        svg.text(x + 7, py(ours) + 4, kernel.name, size=10)
    return str(svg)


def plots(m):
    yield "bars", bars(m)
    yield "roofline", roofline(m)
