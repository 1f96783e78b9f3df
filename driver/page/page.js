"use strict";
/* Lights up what belongs together: a line of the source, the code made of it, its events on the timeline. */
window.onerror = (message) => {
  const said = document.createElement("p");
  said.id = "error";
  said.textContent = "Error: " + message;
  document.body.prepend(said);
};
(() => {
  const root = document.documentElement, data = JSON.parse(document.getElementById("data").textContent);
  const make = (name, attributes = {}, text) => {
    const svg = ["svg", "rect", "line", "text", "title", "g"].includes(name);
    const e = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
    for (const key in attributes) e.setAttribute(key, attributes[key]);
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const idOf = (key) => (key >= data.lines ? "F" + Math.floor(key / data.lines) : "") + "L" + (key % data.lines);
  const keyOf = (id) => {
    const m = /^(?:F(\d+))?L(\d+)$/.exec(id);
    return m ? Number(m[1] || 0) * data.lines + Number(m[2]) : 0;
  };
  const reduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
  root.classList.add("js");

  /* Long code is packed: deflate, as base64. */
  const unpack = (text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(unpacked).text();
  };
  /* The code of a pane, line by line, once it is shown. */
  const panes = [...document.querySelectorAll(".pane")], rows = {};
  const fill = (pane) => {
    const runs = data.panes[pane.id], pre = pane.querySelector("pre"), packed = data.packed[pane.id];
    if (!runs || rows[pane.id]) return;
    if (packed) {
      delete data.packed[pane.id];
      unpack(packed).then((text) => {
        pre.textContent = text;
        fill(pane);
        if (shown === pane) light(kept);
      }).catch((error) => window.onerror(error.message));
      return;
    }
    if (pre.dataset.packed !== undefined && !pre.textContent.includes("\n")) return; /* is being unpacked */
    const of = rows[pane.id] = new Map(), text = pre.textContent.split("\n"), all = document.createDocumentFragment();
    let at = 0;
    for (let r = 0; r < runs.length; r += 2)
      for (let i = 0; i < runs[r]; i++, at++) {
        const line = make("div", {}, text[at]), key = runs[r + 1];
        if (key) {
          line.dataset.k = key;
          if (!i) line.dataset.n = key % data.lines;
          if (!of.has(key)) of.set(key, []);
          of.get(key).push(line);
        }
        all.append(line);
      }
    pre.replaceChildren(all);
  };

  const events = new Map(); /* by key: the rectangles */
  let lit = [], kept = 0, shown = null;
  const away = make("p", {class: "away", "aria-live": "polite"});
  const light = (key, from) => {
    for (const e of lit) e.classList.remove("lit");
    const code = shown && rows[shown.id] ? rows[shown.id].get(key) || [] : [];
    const line = key ? document.getElementById(idOf(key)) : null;
    lit = [...code, ...(events.get(key) || []), ...(line ? [line] : [])];
    for (const e of lit) e.classList.add("lit");
    const n = code.length, text = line && line.querySelector("code").textContent.trim();
    away.replaceChildren(!key ? "Point at a line, or click it." : "Line " + (key % data.lines)
      + (!shown || !rows[shown.id] ? "" : n > 1 ? ": " + n + " lines of this code" : n ? ": 1 line of this code"
        : ": none of this code"), ...(text ? [make("code", {}, text)] : []));
    if (from !== "code" && from !== "hover" && code.length) reveal(shown, longest(code));
    if (from === "code" && line) line.scrollIntoView({block: "nearest", behavior: reduced ? "auto" : "smooth"});
  };
  /* Where most of the code of a line is. */
  const longest = (code) => {
    let best = code[0], most = 0;
    for (let i = 0, from = 0; i < code.length; i++) {
      if (i && code[i - 1].nextElementSibling !== code[i]) from = i;
      if (i - from >= most) [best, most] = [code[from], i - from + 1];
    }
    return best;
  };
  const reveal = (box, e) => {
    const top = e.offsetTop - box.offsetTop;
    if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - 60)
      box.scrollTop = Math.max(0, top - box.clientHeight / 3);
  };
  const keep = (key, from) => {
    const before = document.querySelector(".kept");
    if (before) before.classList.remove("kept");
    kept = key;
    const line = document.getElementById(idOf(key));
    if (line) line.classList.add("kept");
    light(key, from);
    if (key) history.replaceState(null, "", "#" + idOf(key));
  };

  /* Tabs. */
  const list = make("div", {role: "tablist", "aria-label": "Generated code"}), tabs = [];
  const show = (i) => {
    panes.forEach((pane, k) => {
      pane.classList.toggle("shown", k === i);
      tabs[k].setAttribute("aria-selected", k === i);
      tabs[k].tabIndex = k === i ? 0 : -1;
    });
    shown = panes[i];
    fill(shown);
    light(kept);
  };
  panes.forEach((pane, i) => {
    const tab = make("button", {role: "tab", "aria-controls": pane.id, id: "tab-" + pane.id},
                     pane.querySelector("h2").textContent);
    tab.onclick = () => show(i);
    pane.setAttribute("role", "tabpanel");
    pane.setAttribute("aria-labelledby", tab.id);
    pane.tabIndex = 0;
    tabs.push(tab);
    list.append(tab);
  });
  list.onkeydown = (e) => {
    const i = tabs.indexOf(document.activeElement), n = tabs.length;
    const next = {ArrowRight: (i + 1) % n, ArrowLeft: (i - 1 + n) % n, Home: 0, End: n - 1}[e.key];
    if (next === undefined || i < 0) return;
    e.preventDefault();
    show(next);
    tabs[next].focus();
  };
  const aside = document.getElementById("panes");
  aside.prepend(list, away);

  /* The border between source and code can be moved. */
  const main = document.querySelector("main");
  const border = make("div", {role: "separator", "aria-orientation": "vertical", tabindex: 0, id: "border",
                              "aria-label": "Width of the source", "aria-valuemin": 15, "aria-valuemax": 85});
  const split = (share) => {
    const percent = Math.min(85, Math.max(15, share));
    main.style.setProperty("--source", percent + "%");
    border.setAttribute("aria-valuenow", Math.round(percent));
  };
  const shareAt = (x) => 100 * (x - main.getBoundingClientRect().left) / main.clientWidth;
  border.onpointerdown = (e) => { border.setPointerCapture(e.pointerId); e.preventDefault(); };
  border.onpointermove = (e) => { if (border.hasPointerCapture(e.pointerId)) split(shareAt(e.clientX)); };
  border.onkeydown = (e) => {
    const step = {ArrowRight: 3, ArrowLeft: -3}[e.key];
    if (step) split(Number(border.getAttribute("aria-valuenow")) + step);
  };
  border.ondblclick = () => split(55);
  aside.before(border);
  split(55);

  /* Pointing, clicking, and the keyboard. */
  const keyAt = (e) => {
    const code = e.closest("[data-k]"), line = e.closest(".l");
    return code ? Number(code.dataset.k) : line ? keyOf(line.id) : 0;
  };
  const source = document.getElementById("source");
  for (const [box, from] of [[source, "source"], [aside, "code"]]) {
    box.addEventListener("mouseover", (e) => {
      const key = keyAt(e.target);
      if (key && !kept) light(key, from === "code" ? "hover" : from);
    });
    box.addEventListener("click", (e) => {
      const key = keyAt(e.target);
      if (key && !e.target.closest("ul, a")) keep(from === "source" && key === kept && !e.target.closest("details") ? 0 : key, from);
    });
  }
  source.addEventListener("focusin", (e) => { if (keyAt(e.target)) light(keyAt(e.target)); });
  for (const line of document.querySelectorAll("div.l")) line.tabIndex = -1;
  source.addEventListener("keydown", (e) => {
    const step = {ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling"}[e.key];
    let line = step && e.target.closest(".l");
    if (!line) return;
    line = line[step];
    if (!line || !line.classList.contains("l")) return;
    e.preventDefault();
    (line.querySelector("summary") || line).focus();
  });
  addEventListener("keydown", (e) => { if (e.key === "Escape") { keep(0); history.replaceState(null, "", "#"); } });
  const follow = () => {
    const key = keyOf(location.hash.slice(1)), line = key && document.getElementById(idOf(key));
    if (!line) return;
    if (line.open === false) line.open = true;
    keep(key, "hash");
    line.scrollIntoView({block: "nearest"});
  };
  addEventListener("hashchange", follow);

  /* The timeline: a track for each thread and device; nested events below one another. */
  const chart = document.getElementById("chart");
  const kinds = ["launch", "transfer", "fill", "comparison", "allocation", "wait"];
  const unit = (us) => us >= 1e6 ? (us / 1e6).toPrecision(4) + " s" : us >= 1e3 ? (us / 1e3).toPrecision(4) + " ms"
    : us.toPrecision(3) + " µs";
  const size = (n) => n >= 1e9 ? (n / 1e9).toPrecision(3) + " GB" : n >= 1e6 ? (n / 1e6).toPrecision(3) + " MB"
    : n >= 1e3 ? (n / 1e3).toPrecision(3) + " kB" : n + " bytes";
  const draw = (zoom) => {
    const end = Math.max(...data.events.map((e) => e[1] + e[2]), 1), width = Math.max(300, chart.clientWidth - 2) * zoom;
    const left = 8, scale = (width - 2 * left) / end, height = 22, depth = [], tops = [];
    const stacks = data.tracks.map(() => []), level = data.events.map((e) => {
      const stack = stacks[e[0]];
      while (stack.length && stack[stack.length - 1] <= e[1] + 1e-6) stack.pop();
      stack.push(e[1] + e[2]);
      depth[e[0]] = Math.max(depth[e[0]] || 0, stack.length);
      return stack.length - 1;
    });
    let y = 20;
    data.tracks.forEach((_, i) => { tops[i] = y; if (depth[i]) y += 18 + height * depth[i]; });
    const svg = make("svg", {width, height: y + 4, role: "img", "aria-label": "Timeline of the run"});
    const step = 10 ** Math.floor(Math.log10(end / zoom / 4)), ticks = [1, 2, 5].map((k) => k * step)
      .find((s) => s * scale > 90) || step * 10;
    for (let t = 0, n = 0; t <= end && n < 2000; t += ticks, n++) {
      svg.append(make("line", {x1: left + t * scale, x2: left + t * scale, y1: 14, y2: y, class: "axis"}));
      svg.append(make("text", {x: left + t * scale + 2, y: 11}, unit(t)));
    }
    data.tracks.forEach((name, i) => { if (depth[i]) svg.append(make("text", {x: left, y: tops[i] + 12}, name)); });
    events.clear();
    data.events.forEach((e, i) => {
      const [track, ts, dur, kind, name, key, bytes, items] = e;
      const r = make("rect", {x: left + ts * scale, y: tops[track] + 16 + level[i] * height, height: height - 3, rx: 2,
        width: Math.max(1, dur * scale), class: kinds.includes(kind) ? kind : "other"});
      r.append(make("title", {}, name + "\n" + unit(dur) + (bytes >= 0 ? "\n" + size(bytes) : "")
        + (bytes > 0 && dur > 0 ? ", " + (bytes / dur / 1000).toPrecision(3) + " GB/s" : "")
        + (items >= 0 ? "\n" + items + " work items" : "") + (key ? "\nline " + key % data.lines : "")));
      if (key) {
        r.dataset.k = key;
        if (!events.has(key)) events.set(key, []);
        events.get(key).push(r);
      }
      svg.append(r);
    });
    chart.replaceChildren(svg);
  };
  if (chart) {
    let zoom = 1;
    const keys = make("div", {class: "keys"});
    for (const kind of kinds.filter((k) => data.events.some((e) => e[3] === k))) {
      const key = make("span"), box = make("svg");
      box.append(make("rect", {width: 11, height: 11, rx: 2, class: kind}));
      key.append(box, kind);
      keys.append(key);
    }
    /* at: what stays in its place, in pixels from the left. */
    const change = (by, at = chart.clientWidth / 2) => {
      const point = (chart.scrollLeft + at) / zoom;
      zoom = Math.min(256, Math.max(1, zoom * by));
      draw(zoom);
      chart.scrollLeft = point * zoom - at;
      light(kept);
    };
    for (const [name, by] of [["zoom in", 2], ["zoom out", 0.5], ["all", 0]]) {
      const button = make("button", {type: "button"}, name);
      button.onclick = () => change(by);
      keys.append(button);
    }
    keys.append(make("span", {}, "+ and − zoom, as Ctrl and the wheel; drag to move"));
    chart.before(keys);
    chart.tabIndex = 0;
    chart.addEventListener("wheel", (e) => {
      if (!e.ctrlKey) return;
      e.preventDefault();
      change(e.deltaY < 0 ? 1.4 : 1 / 1.4, e.clientX - chart.getBoundingClientRect().left);
    }, {passive: false});
    chart.addEventListener("keydown", (e) => {
      const by = {"+": 2, "=": 2, "-": 0.5, "0": 0}[e.key];
      if (by === undefined || e.ctrlKey) return;
      e.preventDefault();
      change(by);
    });
    let dragged = null, moved = false;
    chart.addEventListener("pointerdown", (e) => {
      if (e.button || e.pointerType === "touch") return;
      dragged = {x: e.clientX, left: chart.scrollLeft};
      moved = false;
    });
    chart.addEventListener("pointermove", (e) => {
      if (!dragged || !(e.buttons & 1)) return;
      moved = moved || Math.abs(e.clientX - dragged.x) > 3;
      if (moved) chart.scrollLeft = dragged.left - (e.clientX - dragged.x);
    });
    addEventListener("pointerup", () => { dragged = null; });
    chart.addEventListener("mouseover", (e) => {
      const key = Number(e.target.dataset.k || 0);
      if (key && !kept) light(key, "hover");
    });
    chart.addEventListener("click", (e) => {
      const key = Number(e.target.dataset.k || 0);
      if (key && !moved) keep(key, "code");
    });
    addEventListener("resize", () => draw(zoom));
    draw(zoom);
  }
  if (panes.length) show(Math.max(0, panes.map((p) => p.id.startsWith("x86")).lastIndexOf(true)));
  follow();
  root.dataset.ready = "yes";
})();
