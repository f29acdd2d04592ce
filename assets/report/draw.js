// Elements and SVG by hand. Text only ever enters as text, so no value can become markup.
function el(tag, attributes = {}, ...children) {
  const svg = ['svg', 'g', 'path', 'rect', 'circle', 'line', 'text', 'polyline', 'polygon', 'title'].includes(tag);
  const node = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'style') node.setAttribute('style', value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined) continue;
    node.append(child.nodeType ? child : String(child));
  }
  return node;
}

// What a number belongs to, beside the pointer.
const tip = el('div', { id: 'tip', role: 'status', hidden: true });
function showTip(event, r, extra = []) {
  tip.replaceChildren(
    el('div', {}, el('b', {}, r.timed ? timeText(r.median_ns) : verdictText(r)), r.timed ? `  p20–p80 ${rangeText(r)}` : '',
      r.tflops > 0 ? `  ·  ${digits(r.tflops)} TFLOP/s` : '', r.gbps > 0 ? `  ·  ${digits(r.gbps)} GB/s` : ''),
    ...extra.map((line) => el('div', {}, line)),
    el('div', {}, runName(r), r.config_name && r.config ? ` (${r.config})` : ''),
    el('div', {}, `${r.problem} on ${r.device}`),
    el('div', {}, [r.mode, r.driver, r.time_utc].filter(Boolean).join(' · ')));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const x = Math.min(event.clientX + 14, window.innerWidth - box.width - 8);
  const below = event.clientY + 16;
  tip.style.left = `${Math.max(8, x)}px`;
  tip.style.top = `${below + box.height > window.innerHeight ? event.clientY - box.height - 10 : below}px`;
}
function hideTip() {
  tip.hidden = true;
}
/// The attributes of whatever shows a number of this run.
function ofRun(r, extra) {
  return {
    onpointermove: (e) => showTip(e, r, extra), onpointerleave: hideTip, onclick: () => { hideTip(); showRun(r); },
  };
}

function linear(from, to, a, b) {
  const scale = (x) => a + ((x - from) / (to - from || 1)) * (b - a);
  scale.ticks = (count) => {
    const rough = (to - from) / Math.max(1, count) || 1;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].find((m) => m * power >= rough) * power;
    const out = [];
    for (let x = Math.ceil(from / step - 1e-9) * step; x <= to + step * 1e-9; x += step) out.push(Math.abs(x) < step * 1e-9 ? 0 : x);
    return out;
  };
  return scale;
}
function logarithmic(from, to, a, b) {
  const scale = (x) => a + ((Math.log(x) - Math.log(from)) / (Math.log(to) - Math.log(from) || 1)) * (b - a);
  scale.ticks = (count) => {
    const out = [];
    for (let p = Math.floor(Math.log10(from)); p <= Math.ceil(Math.log10(to)); ++p)
      for (const m of [1, 2, 5]) out.push(m * 10 ** p);
    let inside = out.filter((x) => x >= from * 0.999 && x <= to * 1.001);
    if (inside.length > count) {
      const whole = inside.filter((x) => Math.abs(Math.log10(x) - Math.round(Math.log10(x))) < 1e-9);
      if (whole.length >= 2) inside = whole;
    }
    const step = Math.max(1, Math.ceil(inside.length / count));
    return inside.filter((_, i) => i % step === 0);
  };
  return scale;
}
function chart(width, height, label) {
  return el('svg', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': label });
}
function widthOf(host) {
  return Math.max(300, Math.floor(host.clientWidth) - 28);
}
/// Grid lines and numbers below and at the left.
function axes(svg, x, y, area, words) {
  for (const t of x.marks || x.ticks(Math.max(2, Math.floor((area.right - area.left) / 90)))) {
    svg.append(el('line', { class: 'grid', x1: x(t), x2: x(t), y1: area.top, y2: area.bottom }));
    svg.append(el('text', { x: x(t), y: area.bottom + 16, 'text-anchor': 'middle' }, words.x(t)));
  }
  for (const t of y.ticks(Math.max(2, Math.floor((area.bottom - area.top) / 46)))) {
    svg.append(el('line', { class: 'grid', x1: area.left, x2: area.right, y1: y(t), y2: y(t) }));
    svg.append(el('text', { x: area.left - 8, y: y(t) + 4, 'text-anchor': 'end' }, words.y(t)));
  }
  svg.append(el('line', { class: 'axis', x1: area.left, x2: area.right, y1: area.bottom, y2: area.bottom }));
  svg.append(el('text', { x: area.right, y: area.bottom + 34, 'text-anchor': 'end' }, words.below));
  svg.append(el('text', { x: 2, y: area.top - 12 }, words.above));
}
/// A variant is told by its shape as well as by its colour.
function dot(r, x, y, size = 4) {
  const shape = variants.indexOf(r.variant) % 4;
  const style = `fill: ${colourOf(r.variant)}`;
  if (shape === 0) return el('circle', { class: 'dot', cx: x, cy: y, r: size, style });
  if (shape === 1) return el('rect', { class: 'dot', x: x - size * .9, y: y - size * .9, width: size * 1.8, height: size * 1.8, style });
  const points = shape === 2 ? [[0, -1.25], [1.2, .9], [-1.2, .9]] : [[0, -1.35], [1.35, 0], [0, 1.35], [-1.35, 0]];
  return el('polygon', { class: 'dot', points: points.map(([a, b]) => `${x + a * size},${y + b * size}`).join(' '), style });
}
/// A variant's mark, for text.
function key(variant) {
  return el('svg', { class: 'key', viewBox: '-7 -7 14 14', 'aria-hidden': 'true' }, dot({ variant }, 0, 0));
}
function legend(names) {
  return el('div', { class: 'legend' }, names.map((v) => el('span', {}, key(v), v)));
}

/// Yellow for the best to dark blue for the worst, equally clear to most eyes; `x` from 0 (best) to 1.
function heat(x) {
  const stops = [[253, 231, 55], [122, 209, 81], [34, 168, 132], [42, 120, 142], [65, 68, 135], [68, 1, 84]];
  const at = Math.min(stops.length - 1.001, Math.max(0, x * (stops.length - 1)));
  const i = Math.floor(at);
  const rgb = stops[i].map((c, k) => Math.round(c + (stops[i + 1][k] - c) * (at - i)));
  const light = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] > 125;
  return { fill: `rgb(${rgb.join(',')})`, ink: light ? '#111' : '#fff' };
}
