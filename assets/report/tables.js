// The tables: the best of each problem, and every record, sorted by a click and drawn as far as one looks.
const kChunk = 150;

/// columns: {title, number, text(r), sort(r), cell(r)}. Gives the element and a way to show other rows.
function table(columns, onRow = ofRun) {
  const body = el('tbody');
  const heads = [];
  let rows = [], drawn = 0, sorted = -1, up = true;
  const more = () => {
    const until = Math.min(rows.length, drawn + kChunk);
    const part = document.createDocumentFragment();
    for (; drawn < until; ++drawn) {
      const r = rows[drawn];
      part.append(el('tr', { ...onRow(r), tabindex: 0, onkeydown: (e) => { if (e.key === 'Enter') showRun(r); } },
        columns.map((c) => el('td', { class: c.class || (c.number ? 'n' : null) }, c.cell ? c.cell(r) : c.text(r)))));
    }
    body.append(part);
  };
  const draw = () => { body.replaceChildren(); drawn = 0; more(); };
  const order = () => {
    if (sorted < 0) return;
    const value = columns[sorted].sort || columns[sorted].text;
    const missing = (v) => v === undefined || v === null || v === '' || (typeof v === 'number' && !(v > -Infinity));
    rows.sort((a, b) => {
      const x = value(a), y = value(b);
      if (missing(x) || missing(y)) return missing(x) - missing(y);  // what is not there comes last, whichever way
      const less = typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y), 'en', { numeric: true });
      return up ? less : -less;
    });
  };
  const sortBy = (i) => {
    up = sorted === i ? !up : columns[i].down !== true;
    sorted = i;
    heads.forEach((h, k) => (k === i ? h.setAttribute('aria-sort', up ? 'ascending' : 'descending') : h.removeAttribute('aria-sort')));
    order();
    draw();
  };
  columns.forEach((c, i) => heads.push(el('th', { class: c.number ? 'n' : null, scope: 'col', title: c.hint },
    el('button', { type: 'button', onclick: () => sortBy(i) }, c.title))));
  const box = el('div', { class: 'scroll', tabindex: -1 }, el('table', {}, el('thead', {}, el('tr', {}, heads)), body));
  box.addEventListener('scroll', () => {
    while (drawn < rows.length && box.scrollTop + box.clientHeight > box.scrollHeight - 600) more();
  });
  return { box, show(list) { rows = list.slice(); order(); draw(); }, sortBy };
}

function variantCell(r) {
  return [key(r.variant), r.variant];
}
function verdictCell(r) {
  const text = verdictText(r);
  return el('span', { class: text === 'pass' ? 'good' : text === 'FAIL' || text === 'error' ? 'bad' : 'soft' }, text);
}
const kColumns = {
  problem: { title: 'problem', text: (r) => r.problem, class: 'long' },
  variant: { title: 'variant', text: (r) => r.variant, cell: variantCell },
  config: { title: 'config', text: configText, class: 'long' },
  verdict: { title: 'verdict', text: verdictText, cell: verdictCell },
  median: { title: 'median', number: true, class: 'n main', text: (r) => timeText(r.median_ns), sort: (r) => r.median_ns },
  range: { title: 'p20–p80', number: true, text: rangeText, sort: (r) => r.p20_ns },
  tflops: { title: 'TFLOP/s', number: true, down: true, text: (r) => rateText(r.tflops), sort: (r) => r.tflops },
  gbps: { title: 'GB/s', number: true, down: true, text: (r) => rateText(r.gbps), sort: (r) => r.gbps },
};
const number = (title, name, hint) => ({ title, hint, number: true, text: (r) => fieldText(name, r[name]).replace(/ bytes$/, ''), sort: (r) => r[name] });

/// Where there is little room the time comes before what is long.
const kFirst = window.innerWidth < 640 ? [{ ...kColumns.problem, class: 'long short' }, kColumns.median, kColumns.variant, kColumns.config]
  : [kColumns.problem, kColumns.variant, kColumns.config];
const kMedian = kFirst.includes(kColumns.median) ? [] : [kColumns.median];

function bestSection(host) {
  const t = table([...kFirst, ...kMedian, kColumns.range, kColumns.tflops, kColumns.gbps,
    kColumns.verdict, { title: 'of', number: true, hint: 'records that passed and were timed', text: (r) => String(r.of), sort: (r) => r.of },
    { title: 'modes', text: (r) => r.mode, class: 'soft' },
    ...(devices.length > 1 ? [{ title: 'device', text: (r) => r.device, class: 'long' }] : [])]);
  host.append(el('div', { class: 'card' }, t.box));
  return (list) => {
    const groups = groupBy(list.filter((r) => r.ranked && r.pass === 1), (r) => `${r.device}\n${r.problem}\n${r.mode}`);
    t.show([...groups.values()].map((g) => Object.assign(Object.create(fastest(g)), { of: g.length })));
    return groups.size > 0;
  };
}

function recordsSection(host, controls) {
  const t = table([...kFirst, kColumns.verdict, ...kMedian, kColumns.range, kColumns.tflops,
    kColumns.gbps, number('regs', 'registers', 'registers of an invocation'), number('spill B', 'spill_bytes'), number('shared B', 'shared_bytes'),
    { ...number('max abs', 'max_abs', 'largest difference from the reference'), text: (r) => (r.max_abs > 0 ? r.max_abs.toExponential(2) : '') },
    { title: 'modes', text: (r) => r.mode, class: 'soft' },
    { title: 'device', text: (r) => r.device, class: 'long' },
    { title: 'UTC', text: (r) => String(r.time_utc || '').slice(0, 16).replace('T', ' '), class: 'soft' }]);
  const count = el('span', { class: 'soft' });
  const filter = el('input', { type: 'search', id: 'filter', placeholder: 'filter: coopmat f16 BLOCK_M=64', 'aria-label': 'Filter', size: 28 });
  controls.append(count, filter);
  host.append(el('div', { class: 'card' }, t.box));
  const words = new Map();
  const textOf = (r) => {
    if (!words.has(r.index))
      words.set(r.index, [r.problem, r.variant, r.config, r.config_name, verdictText(r), r.mode, r.device, r.driver, r.time_utc].join(' ').toLowerCase());
    return words.get(r.index);
  };
  let list = [];
  const apply = () => {
    const asked = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = list.filter((r) => asked.every((w) => textOf(r).includes(w)));
    count.textContent = `${shown.length.toLocaleString('en')} of ${records.length.toLocaleString('en')}`;
    t.show(shown);
  };
  filter.addEventListener('input', apply);
  return (of) => { list = of; apply(); return true; };
}
