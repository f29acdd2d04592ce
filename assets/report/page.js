// The page itself: sections, what is looked at, one run in full, the theme.
const dialog = el('dialog', { 'aria-label': 'One run' });

function sampleTrace(r) {
  const at = r.samples_of;
  if (at.length < 2) return null;
  const width = Math.min(860, Math.max(260, Math.floor(window.innerWidth * 0.94) - 36)), height = 150;
  const area = { left: 66, right: width - 6, top: 26, bottom: height - 22 };
  const low = Math.min(...at, r.p20_ns || Infinity), high = Math.max(...at, r.p80_ns || 0), pad = (high - low) * 0.06 || high * 0.02;
  const x = linear(0, at.length - 1, area.left, area.right), y = linear(low - pad, high + pad, area.bottom, area.top);
  const svg = chart(width, height, 'Samples in the order taken');
  const [unit, size] = timeUnit(r.median_ns || high);
  for (const t of y.ticks(4)) {
    svg.append(el('line', { class: 'grid', x1: area.left, x2: area.right, y1: y(t), y2: y(t) }));
    svg.append(el('text', { x: area.left - 8, y: y(t) + 4, 'text-anchor': 'end' }, digits(t / size)));
  }
  if (r.p20_ns > 0) svg.append(el('rect', { x: area.left, y: y(r.p80_ns), width: area.right - area.left, height: Math.max(1, y(r.p20_ns) - y(r.p80_ns)), style: `fill: ${colourOf(r.variant)}; opacity: .16` }));
  if (r.timed) svg.append(el('line', { x1: area.left, x2: area.right, y1: y(r.median_ns), y2: y(r.median_ns), style: `stroke: ${colourOf(r.variant)}; opacity: .7` }));
  for (let i = 0; i < at.length; ++i) svg.append(el('circle', { cx: x(i), cy: y(at[i]), r: at.length > 120 ? 1.3 : 2, style: `fill: ${colourOf(r.variant)}` }));
  svg.append(el('text', { x: 0, y: 12 }, `samples in ${unit}, in the order taken${r.samples > at.length ? `; ${at.length} of ${r.samples.toLocaleString('en')} drawn` : ''}`));
  return svg;
}
async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Select it and copy';
  }
}
function showRun(r) {
  const run = records[r.index];
  const rows = data.columns.map((c) => [c.name, fieldText(c.name, run[c.name])])
    .filter(([name, text]) => text !== '' && !['problem', 'variant', 'config', 'config_name', 'message'].includes(name));
  const copyButton = el('button', { type: 'button', onclick: () => copy(run.command, copyButton) }, 'Copy');
  dialog.replaceChildren(
    el('div', { class: 'bar' },
      el('div', {}, el('h2', {}, run.timed ? `${timeText(run.median_ns)}  ` : '', verdictCell(run)),
        el('div', {}, runName(run), run.config_name && run.config ? el('span', { class: 'soft' }, ` (${run.config})`) : ''),
        el('div', { class: 'soft' }, `${run.problem} on ${run.device}`, run.mode ? ` · ${run.mode}` : '')),
      el('button', { type: 'button', onclick: () => dialog.close(), autofocus: true }, 'Close')),
    el('div', { class: 'body' },
      run.command ? el('div', { class: 'command' }, el('code', {}, run.command), copyButton) : el('p', { class: 'soft' }, 'Another program wrote this record, so there is no command of attnscope for it.'),
      ...run.notes.map((n) => el('p', {}, n)),
      sampleTrace(run),
      el('dl', {}, rows.map(([name, text]) => el('div', {}, el('dt', {}, name.replace(/_(ns|ms|us|bytes)$/, '')), el('dd', {}, text))))));
  if (!dialog.open) dialog.showModal();
}

function notesSection(host) {
  const list = el('ul', { class: 'notes' });
  host.append(el('div', { class: 'card' }, list));
  return (of) => {
    const groups = groupBy(of.flatMap((r) => r.notes.map((text) => ({ r, text }))), (n) => n.text);
    const sorted = [...groups].sort((a, b) => b[1].length - a[1].length);
    list.replaceChildren(...sorted.slice(0, 100).map(([text, g]) => el('li', {}, `${text} `,
      el('button', { type: 'button', onclick: () => showRun(g[0].r) }, g.length > 1 ? `${g.length} records, the first: ${runName(g[0].r)}` : `${runName(g[0].r)} on ${g[0].r.problem}`))),
    ...(sorted.length > 100 ? [el('li', { class: 'soft' }, `and ${sorted.length - 100} further remarks, with their records`)] : []));
    return groups.size > 0;
  };
}
function environmentsSection(host) {
  const bytes = (x) => (x >= 1e9 ? `${digits(x / 1e9)} GB` : x >= 1024 ? `${digits(x / 1024)} KiB` : `${x} B`);
  const flat = (object, path = []) => Object.entries(object || {}).flatMap(([k, v]) =>
    v && typeof v === 'object' && !Array.isArray(v) ? flat(v, [...path, k]) : [[[...path, k].join(' ').replaceAll('_', ' '), k, v]]);
  const box = el('div', { class: 'cards' });
  host.append(box);
  return (of) => {
    box.replaceChildren(...[...groupBy(of, (r) => r.environment)].slice(0, 60).map(([e, g]) => {
      const d = e.device || {};
      const rows = (list) => el('dl', {}, list.filter(([, , v]) => v !== null && v !== '' && !(Array.isArray(v) && typeof v[0] === 'object'))
        .map(([name, key, v]) => el('div', {}, el('dt', {}, name), el('dd', {}, /bytes$/.test(key) && v > 0 ? bytes(v) : Array.isArray(v) ? v.join(' × ') : String(v)))));
      const first = ['type', 'driver', 'api_version'].map((k) => [k.replaceAll('_', ' '), k, d[k] ?? '']);
      const times = g.map((r) => r.time_utc).filter(Boolean).sort();
      return el('div', { class: 'card pad' }, el('h2', {}, d.name || 'unknown device'),
        rows([...first, ['program', '', e.program_version ?? ''], ['host', '', e.host_os ?? ''], ['records', '', g.length], ['from', '', times[0] ?? ''], ['to', '', times[times.length - 1] ?? '']]),
        d.features?.length ? el('div', { class: 'chips' }, d.features.map((f) => el('span', {}, f))) : null,
        d.limits ? el('details', {}, el('summary', {}, 'Limits'), rows(flat(d.limits))) : null,
        e.peaks ? el('details', { open: true }, el('summary', {}, 'Measured ceilings'), rows(flat(e.peaks))) : null);
    }));
    return true;
  };
}

const kSections = [
  ['best', 'Best of each problem', bestSection], ['timings', 'Times', timingsSection], ['scaling', 'Scaling', scalingSection],
  ['sweeps', 'Sweeps', heatSection], ['roofline', 'Roofline', rooflineSection], ['records', 'All records', recordsSection],
  ['notes', 'Remarks', notesSection], ['environments', 'Environments', environmentsSection]];

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  themeButton.textContent = theme === 'dark' ? 'Light' : 'Dark';
  try { localStorage.setItem('attnscope-theme', theme); } catch { /* a page from a file may not keep anything */ }
}
const themeButton = el('button', { type: 'button', id: 'theme', onclick: () => setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark') });

const asked = { device: '', mode: '' };
const views = [];
function show(redraw) {
  const list = records.filter((r) => (!asked.device || r.device === asked.device) && (!asked.mode || r.mode === asked.mode));
  for (const { section, link, draw } of views) {
    section.hidden = false;
    const some = draw(list, redraw);
    section.hidden = link.hidden = !some;
  }
}

(() => {
  const main = document.getElementById('main'), tools = el('div', { class: 'tools' }), links = el('div', { class: 'links' });
  const filter = (label, key, values) => {
    if (values.length < 2) return;
    const select = el('select', { 'aria-label': label, onchange: () => { asked[key] = select.value; show(false); } },
      el('option', { value: '' }, `all ${label}`), values.map((v) => el('option', { value: v }, v || 'unknown')));
    tools.append(select);
  };
  filter('devices', 'device', devices);
  // Isolated and back-to-back times are not of a kind, so one mode is looked at until asked otherwise.
  const modes = distinct(records.map((r) => r.mode)).filter(Boolean);
  filter('modes', 'mode', modes);
  if (modes.length > 1 && modes.includes('hot, isolated')) asked.mode = tools.lastChild.value = 'hot, isolated';
  tools.append(themeButton);
  for (const [id, title, make] of kSections) {
    const controls = el('div', { class: 'controls' });
    const section = el('section', { id }, el('div', { class: 'head' }, el('h2', {}, title), controls));
    const link = el('a', { href: `#${id}` }, title);
    links.append(link);
    main.append(section);
    views.push({ section, link, draw: make(section, controls) });
  }
  document.getElementById('nav').append(el('div', { class: 'wrap' }, links, tools));
  document.body.append(tip, dialog);
  dialog.addEventListener('click', (e) => { if (e.target === dialog) dialog.close(); });
  let theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  try { theme = localStorage.getItem('attnscope-theme') || theme; } catch { /* as above */ }
  setTheme(theme);
  show(false);
  let width = window.innerWidth, waiting = 0;
  window.addEventListener('resize', () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(() => show(true), 120);
  });
  window.addEventListener('scroll', hideTip, { passive: true });
})();
