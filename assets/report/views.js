// The plots: each section gives a function that draws it for a list of records and says whether it had something to draw.
function choice(label, options, onchange) {
  const select = el('select', { onchange: () => onchange(select.value), 'aria-label': label },
    options.map(([value, text]) => el('option', { value }, text)));
  return { node: el('label', {}, label, select), select };
}
function refill(select, options) {
  const before = select.value;
  select.replaceChildren(...options.map(([value, text]) => el('option', { value }, text)));
  if (options.some(([value]) => value === before)) select.value = before;
}

const kRows = 40;
function timingsSection(host, controls) {
  let list = [], groups = new Map(), all = false;
  const draw = () => {
    const rows = (groups.get(pick.select.value) || []).slice().sort((a, b) => a.median_ns - b.median_ns);
    const shown = all ? rows.slice(0, 2000) : rows.slice(0, kRows);
    if (!shown.length) return;
    const width = widthOf(host), narrow = width < 640;
    const left = narrow ? 4 : Math.min(330, width * 0.33), right = width - (narrow ? 6 : 84), step = narrow ? 40 : 24, top = 30;
    const low = Math.min(...shown.map((r) => r.min_ns || r.median_ns)), high = Math.max(...shown.map((r) => r.p80_ns || r.median_ns));
    const far = high / low > 8;
    const x = far ? logarithmic(low * 0.93, high * 1.07, left, right) : linear(0, high * 1.04, left, right);
    const [unit, size] = timeUnit(far ? Math.sqrt(low * high) : high);
    const height = top + shown.length * step + 8;
    const svg = chart(width, height, `Times of ${pick.select.value}`);
    for (const t of x.ticks(narrow ? 4 : 8)) {
      svg.append(el('line', { class: 'grid', x1: x(t), x2: x(t), y1: top - 4, y2: height }));
      svg.append(el('text', { x: x(t), y: 16, 'text-anchor': 'middle' }, `${digits(t / size).replace(/\.?0+$/, '')} ${unit}`));
    }
    shown.forEach((r, i) => {
      const y = top + i * step + (narrow ? 28 : 12);
      const g = el('g', { class: 'mark', ...ofRun(r) });
      const alike = rows.filter((o) => runName(o) === runName(r));
      const name = runName(r) + (alike.length < 2 ? '' : alike.some((o) => o.mode !== r.mode) ? ` · ${r.mode}` : ` · ${String(r.time_utc || '').slice(5, 16).replace('T', ' ')}`);
      const room = Math.floor((narrow ? width - 90 : left - 16) / 6.7);
      g.append(el('rect', { x: 0, y: top + i * step, width, height: step, fill: 'transparent' }));
      g.append(el('text', { class: 'ink', x: narrow ? 4 : left - 10, y: narrow ? y - 12 : y + 4, 'text-anchor': narrow ? 'start' : 'end' },
        name.length > room ? `${name.slice(0, room - 1)}…` : name));
      g.append(el('text', { class: 'ink', x: width, y: narrow ? y - 12 : y + 4, 'text-anchor': 'end' }, timeText(r.median_ns)));
      if (r.min_ns > 0) g.append(el('line', { x1: x(Math.max(r.min_ns, low)), x2: x(Math.min(r.max_ns, high)), y1: y, y2: y, style: `stroke: ${colourOf(r.variant)}; opacity: .45` }));
      if (r.p20_ns > 0) g.append(el('rect', { class: 'band', x: x(r.p20_ns), y: y - 5, width: Math.max(1.5, x(r.p80_ns) - x(r.p20_ns)), height: 10, rx: 2, style: `fill: ${colourOf(r.variant)}; opacity: .35` }));
      g.append(dot(r, x(r.median_ns), y));
      svg.append(g);
    });
    const rest = rows.length > shown.length ? el('p', { class: 'hint' }, `The fastest ${shown.length} of ${rows.length}. `,
      all ? null : el('button', { type: 'button', onclick: () => { all = true; draw(); } }, 'Show all')) : null;
    box.replaceChildren(svg, legend(distinct(shown.map((r) => r.variant))), ...(rest ? [rest] : []));
  };
  const pick = choice('problem', [], () => { all = false; draw(); });
  controls.append(pick.node);
  const box = el('div', { class: 'card pad' });
  host.append(box, el('p', { class: 'hint' }, 'Dot: median. Band: p20–p80. Line: from the least to the largest, as far as the axis goes. ',
    'Logarithmic where the slowest takes more than eight times the fastest.'));
  return (of, redraw) => {
    if (!redraw) {
      list = of.filter((r) => r.timed);
      groups = groupBy(list, (r) => r.problem);
      refill(pick.select, [...groups].sort((a, b) => b[1].length - a[1].length).map(([p, g]) => [p, `${p} (${g.length})`]));
    }
    if (list.length) draw();
    return list.length > 0;
  };
}

/// Problems that differ in one dimension alone: the others, as a key.
const kDimensions = {
  sequence: { of: (r) => r.seq_kv, rest: (r) => [r.batch, r.heads_q, r.heads_kv, r.seq_q === r.seq_kv ? '=' : r.seq_q, r.head_dim, r.v_dim] },
  head_dim: { of: (r) => r.head_dim, rest: (r) => [r.batch, r.heads_q, r.heads_kv, r.seq_q, r.seq_kv, r.v_dim === r.head_dim ? '=' : r.v_dim] },
  heads: { of: (r) => r.heads_q, rest: (r) => [r.batch, r.heads_q / r.heads_kv, r.seq_q, r.seq_kv, r.head_dim, r.v_dim] },
  batch: { of: (r) => r.batch, rest: (r) => [r.heads_q, r.heads_kv, r.seq_q, r.seq_kv, r.head_dim, r.v_dim] },
};
function optionsOf(problem) {
  return String(problem).split(':').slice(1).filter((o) => !/^(q|kv|dv)=/.test(o)).join(':');
}
function familyText(dimension, r) {
  const shape = { sequence: [r.batch, r.heads_q, 'S', r.head_dim], head_dim: [r.batch, r.heads_q, r.seq_kv, 'D'],
    heads: [r.batch, 'H', r.seq_kv, r.head_dim], batch: ['B', r.heads_q, r.seq_kv, r.head_dim] }[dimension].join('×');
  return [shape, r.seq_q !== r.seq_kv ? `q=${r.seq_q}` : '', r.heads_kv !== r.heads_q && dimension !== 'heads' ? `kv=${r.heads_kv}` : '',
    optionsOf(r.problem)].filter(Boolean).join(' ');
}
function scalingSection(host, controls) {
  let families = new Map();
  const metrics = { tflops: ['TFLOP/s', (r) => r.tflops, digits], gbps: ['GB/s', (r) => r.gbps, digits], time: ['time', (r) => r.median_ns, timeText] };
  const hidden = new Set();
  const draw = () => {
    const family = families.get(pick.select.value);
    if (!family) return;
    const [word, value, text] = metrics[metric.select.value];
    const dimension = kDimensions[family.dimension];
    const width = widthOf(host), height = Math.max(260, Math.min(420, width * 0.45));
    const area = { left: 62, right: width - 10, top: 34, bottom: height - 40 };
    const names = distinct(family.list.map((r) => r.variant));
    const series = names.filter((v) => !hidden.has(v)).map((v) => {
      const points = [...groupBy(family.list.filter((r) => r.variant === v && value(r) > 0), dimension.of)].map(([at, g]) => [at, fastest(g)]);
      return [v, points.sort((a, b) => a[0] - b[0])];
    });
    const points = series.flatMap(([, p]) => p);
    const svg = chart(width, height, `${word} against ${family.dimension}`);
    if (points.length) {
      const xs = distinct(points.map((p) => p[0])).sort((a, b) => a - b), ys = points.map((p) => value(p[1]));
      const x = logarithmic(xs[0] * 0.9, xs[xs.length - 1] * 1.1, area.left, area.right);
      x.marks = xs.filter((v, i) => i === 0 || i === xs.length - 1 || (x(v) - x(xs[i - 1]) > 34 && x(xs[xs.length - 1]) - x(v) > 40));
      const wide = Math.max(...ys) / Math.min(...ys) > 8;
      const y = wide ? logarithmic(Math.min(...ys) * 0.8, Math.max(...ys) * 1.2, area.bottom, area.top) : linear(0, Math.max(...ys) * 1.05, area.bottom, area.top);
      axes(svg, x, y, area, { x: (t) => String(t), y: (t) => (text === timeText ? timeText(t).replace(/\.?0+ /, ' ') : String(Number(t.toPrecision(3)))), below: family.dimension, above: word });
      for (const [v, line] of series) {
        const band = (ns) => (text === timeText ? ns : (value(line[0][1]) * line[0][1].median_ns) / ns);
        if (line.length > 1) {
          const edge = (of) => line.map(([at, r]) => `${x(at)},${y(text === timeText ? of(r) : value(r) * r.median_ns / of(r))}`);
          if (line.every(([, r]) => r.p20_ns > 0 && r.p80_ns > 0 && band(r.p20_ns) > 0))
            svg.append(el('polygon', { points: [...edge((r) => r.p20_ns), ...edge((r) => r.p80_ns).reverse()].join(' '), style: `fill: ${colourOf(v)}; opacity: .18` }));
          svg.append(el('polyline', { points: line.map(([at, r]) => `${x(at)},${y(value(r))}`).join(' '), style: `stroke: ${colourOf(v)}; fill: none; stroke-width: 1.8` }));
        }
        for (const [at, r] of line) svg.append(el('g', { class: 'mark', ...ofRun(r) }, el('circle', { cx: x(at), cy: y(value(r)), r: 11, fill: 'transparent' }), dot(r, x(at), y(value(r)))));
      }
    }
    const keys = el('div', { class: 'legend' }, names.map((v) => el('button', { type: 'button', 'aria-pressed': String(!hidden.has(v)),
      onclick: () => { if (!hidden.delete(v)) hidden.add(v); draw(); } }, key(v), v)));
    box.replaceChildren(svg, keys);
  };
  const pick = choice('problems', [], () => draw());
  const metric = choice('show', [['tflops', 'TFLOP/s'], ['gbps', 'GB/s'], ['time', 'time']], () => draw());
  controls.append(pick.node, metric.node);
  const box = el('div', { class: 'card pad' });
  host.append(box, el('p', { class: 'hint' }, 'The fastest config of each variant at each size; the band is its p20–p80. A click on a name hides it.'));
  return (of, redraw) => {
    if (!redraw) {
      families = new Map();
      for (const [name, dimension] of Object.entries(kDimensions)) {
        const key = (r) => [name, r.device, r.mode, optionsOf(r.problem), ...dimension.rest(r)].join('|');
        for (const [k, g] of groupBy(of.filter((r) => r.ranked), key)) {
          const sizes = distinct(g.map(dimension.of)).length;
          if (sizes >= 3) families.set(k, { dimension: name, list: g, sizes });
        }
      }
      const several = distinct([...families.values()].map((f) => f.list[0].mode)).length > 1;
      refill(pick.select, [...families].sort((a, b) => b[1].list.length - a[1].list.length || b[1].sizes - a[1].sizes)
        .map(([k, f]) => [k, familyText(f.dimension, f.list[0]) + (several ? ` · ${f.list[0].mode}` : '') + (devices.length > 1 ? ` · ${f.list[0].device}` : '')]));
    }
    if (families.size) draw();
    return families.size > 0;
  };
}

function heatSection(host, controls) {
  let groups = new Map();
  const varying = (list) => distinct(list.flatMap((r) => [...r.parameters.keys()]))
    .filter((p) => distinct(list.map((r) => r.parameters.get(p)).filter((v) => v !== undefined)).length > 1);
  const draw = () => {
    const list = groups.get(pick.select.value) || [];
    const p = across.select.value, q = down.select.value;
    if (!list.length || !p || !q || p === q) return box.replaceChildren(el('p', { class: 'hint' }, 'Choose two parameters.'));
    const values = (name) => distinct(list.map((r) => r.parameters.get(name)).filter((v) => v !== undefined)).sort((a, b) => a - b);
    const xs = values(p), ys = values(q);
    const cells = groupBy(list, (r) => `${r.parameters.get(p)}|${r.parameters.get(q)}`);
    const best = [...cells.values()].map((g) => fastest(g.filter((r) => r.ranked))).filter(Boolean);
    if (!best.length) return;
    const low = Math.min(...best.map((r) => r.median_ns)), high = Math.max(...best.map((r) => r.median_ns));
    const width = widthOf(host), left = 70, top = 40;
    const w = Math.min(120, (width - left) / xs.length), h = 40;
    const svg = chart(width, top + ys.length * h + 8, `Median time by ${p} and ${q}`);
    svg.append(el('text', { class: 'ink', x: left, y: 13 }, `${p} →`), el('text', { class: 'ink', x: 0, y: top - 10 }, `${q} ↓`));
    xs.forEach((v, i) => svg.append(el('text', { x: left + (i + .5) * w, y: top - 10, 'text-anchor': 'middle' }, v)));
    ys.forEach((v, k) => {
      svg.append(el('text', { x: left - 10, y: top + k * h + h / 2 + 4, 'text-anchor': 'end' }, v));
      xs.forEach((u, i) => {
        const group = cells.get(`${u}|${v}`);
        const r = group && (fastest(group.filter((o) => o.ranked)) || group[0]);
        if (!r) return;
        const colour = r.ranked ? heat(high > low ? Math.log(r.median_ns / low) / Math.log(high / low) : 0) : { fill: 'var(--faint)', ink: 'var(--soft)' };
        const extra = group.length > 1 ? [`the fastest of ${group.length} configs here`] : [];
        svg.append(el('g', { class: 'mark', ...ofRun(r, extra) },
          el('rect', { class: 'band', x: left + i * w + 1, y: top + k * h + 1, width: w - 2, height: h - 2, rx: 3, style: `fill: ${colour.fill}` }),
          w > 44 ? el('text', { x: left + (i + .5) * w, y: top + k * h + h / 2 + 4, 'text-anchor': 'middle', style: `fill: ${colour.ink}${r.median_ns === low ? '; font-weight: 700' : ''}` },
            r.ranked ? timeText(r.median_ns) : verdictText(r)) : null));
      });
    });
    box.replaceChildren(svg);
  };
  const take = () => {
    const names = varying(groups.get(pick.select.value) || []);
    refill(across.select, names.map((n) => [n, n]));
    refill(down.select, names.map((n) => [n, n]));
    if (across.select.value === down.select.value) down.select.value = names.find((n) => n !== across.select.value) || '';
    draw();
  };
  const pick = choice('sweep', [], take), across = choice('across', [], () => draw()), down = choice('down', [], () => draw());
  controls.append(pick.node, across.node, down.node);
  const box = el('div', { class: 'card pad' });
  host.append(box, el('p', { class: 'hint' }, 'Median time, the fastest config in each cell; the lighter the faster.'));
  return (of, redraw) => {
    if (!redraw) {
      groups = new Map();
      for (const [k, g] of groupBy(of.filter((r) => r.parameters.size > 1), (r) => `${r.variant} on ${r.problem}, ${r.mode}${devices.length > 1 ? `, ${r.device}` : ''}`)) {
        const some = g.filter((r) => r.ranked);
        if (some.length >= 3 && varying(g).length >= 2) groups.set(k, g);
      }
      refill(pick.select, [...groups].sort((a, b) => b[1].length - a[1].length).map(([k, g]) => [k, `${k} (${g.length})`]));
      if (groups.size) take();
    } else if (groups.size) {
      draw();
    }
    return groups.size > 0;
  };
}

/// Ceilings that a record's environment tells, whatever they are called: bytes a second, and FLOP a second.
function roofs(list) {
  const found = new Map();
  const walk = (value, path) => {
    if (typeof value === 'number' && value > 0) {
      const kind = /gbps/i.test(path) && !/shared|cache|l[12]/i.test(path) ? 'gbps' : /tflops/i.test(path) ? 'tflops' : '';
      if (kind && !(found.get(path)?.value > value)) found.set(path, { kind, value, name: path.replace(/_?(gbps|tflops)$/i, '').replace(/[._]+/g, ' ').trim() });
    } else if (value && typeof value === 'object') {
      const own = Array.isArray(value) ? '' : [value.name, value.type, value.dtype].filter((s) => typeof s === 'string').join(' ');
      for (const [key, item] of Object.entries(value)) walk(item, [path, own, Array.isArray(value) ? '' : key].filter(Boolean).join('.'));
    }
  };
  for (const e of distinct(list.map((r) => r.environment))) if (e.peaks) walk(e.peaks, '');
  return [...found.values()];
}
function rooflineSection(host) {
  let list = [];
  const box = el('div', { class: 'card pad' });
  const hint = el('p', { class: 'hint' });
  host.append(box, hint);
  const draw = () => {
    const points = [...groupBy(list, (r) => `${r.device}|${r.problem}|${r.variant}|${r.mode}`).values()].map(fastest);
    const peaks = roofs(points), memory = peaks.filter((p) => p.kind === 'gbps'), compute = peaks.filter((p) => p.kind === 'tflops');
    const width = widthOf(host), height = Math.max(280, Math.min(460, width * 0.46));
    const area = { left: 58, right: width - 10, top: 34, bottom: height - 40 };
    const xs = points.map((r) => r.intensity), ys = [...points.map((r) => r.tflops), ...compute.map((p) => p.value)];
    const x = logarithmic(Math.min(...xs) * 0.7, Math.max(...xs) * 1.4, area.left, area.right);
    const y = logarithmic(Math.min(...ys) * 0.7, Math.max(...ys) * 1.4, area.bottom, area.top);
    const svg = chart(width, height, 'Rate against arithmetic intensity');
    const plain = (t) => (t >= 1e5 || t < 1e-3 ? t.toExponential(0) : String(Number(t.toPrecision(3))));
    axes(svg, x, y, area, { x: plain, y: plain, below: 'FLOP per byte, each tensor moved once', above: 'TFLOP/s' });
    const roof = Math.max(0, ...compute.map((p) => p.value));
    for (const p of compute) svg.append(el('line', { x1: area.left, x2: area.right, y1: y(p.value), y2: y(p.value), style: 'stroke: var(--soft); stroke-dasharray: 5 4' }),
      el('text', { x: area.right, y: y(p.value) - 5, 'text-anchor': 'end' }, `${p.name} ${digits(p.value)} TFLOP/s`));
    for (const p of memory) {
      const at = (i) => Math.min(i * p.value / 1000, roof || Infinity);
      const from = Math.min(...xs) * 0.7, to = roof ? Math.min(Math.max(...xs) * 1.4, roof * 1000 / p.value) : Math.max(...xs) * 1.4;
      const low = Math.max(from, Math.min(...ys) * 0.7 * 1000 / p.value);
      if (low < to) svg.append(el('line', { x1: x(low), y1: y(at(low)), x2: x(to), y2: y(at(to)), style: 'stroke: var(--soft)' }),
        el('text', { x: x(low) + 6, y: Math.max(area.top + 10, y(at(low)) - 14) }, `${p.name} ${digits(p.value)} GB/s`));
    }
    for (const r of points) svg.append(el('g', { class: 'mark', ...ofRun(r, [`${digits(r.intensity)} FLOP per byte`]) }, dot(r, x(r.intensity), y(r.tflops), 4.2)));
    box.replaceChildren(svg, legend(distinct(points.map((r) => r.variant))));
    hint.textContent = 'The fastest config of each variant on each problem. ' + (peaks.length ? 'The lines are this device\'s measured ceilings.' : 'These records tell no measured ceilings, so there is no roof to draw.');
  };
  return (of) => {
    list = of.filter((r) => r.ranked && r.tflops > 0 && r.intensity > 0);
    if (list.length) draw();
    return list.length > 0;
  };
}
