// Records as the page has them: one object each, by the names of their columns, and words for numbers.
const data = JSON.parse(document.getElementById('data').textContent);

const units = {};
const records = (() => {
  const all = Array.from({ length: data.count }, (_, index) => ({ index }));
  for (const c of data.columns) {
    units[c.name] = c.unit;
    all.forEach((r, i) => {
      r[c.name] = 'all' in c ? c.all : c.words ? c.words[c.values[i]] : c.values[i];
    });
  }
  for (const r of all) {
    r.parameters = new Map();
    for (const item of String(r.config || '').split(',')) {
      const at = item.lastIndexOf('=');
      if (at > 0) r.parameters.set(item.slice(0, at), Number(item.slice(at + 1)));
    }
    r.environment = data.environments[data.environment[r.index]] || {};
    r.command = data.commands.words[data.commands.values[r.index]];
    r.notes = data.notes[r.index] || [];
    r.samples_of = data.samples[r.index] || [];
    r.mode = [r.cache, r.launch].filter(Boolean).join(', ');
    r.timed = r.median_ns > 0;
    r.ranked = r.timed && r.outcome === 'measured' && r.pass !== 0;
    r.intensity = r.bytes > 0 ? r.flops / r.bytes : 0;
  }
  return all;
})();

/// Four significant digits without an exponent in the usual range.
function digits(x) {
  if (!Number.isFinite(x)) return '';
  const size = Math.abs(x);
  if (size >= 1e6 || (size < 1e-3 && size > 0)) return x.toExponential(2);
  if (size >= 1000) return Math.round(x).toLocaleString('en');
  return x.toPrecision(4);
}
function timeUnit(ns) {
  return ns >= 1e9 ? ['s', 1e9] : ns >= 1e6 ? ['ms', 1e6] : ns >= 1e3 ? ['µs', 1e3] : ['ns', 1];
}
function timeText(ns) {
  if (!(ns > 0)) return '';
  const [name, size] = timeUnit(ns);
  return `${digits(ns / size)} ${name}`;
}
function rangeText(r) {
  if (!r.timed) return '';
  const size = timeUnit(r.median_ns)[1];
  return `${digits(r.p20_ns / size)}–${digits(r.p80_ns / size)}`;
}
function rateText(x) {
  return x > 0 ? digits(x) : '';
}
function configText(r) {
  return r.config_name || r.config || '';
}
function runName(r) {
  return [r.variant, configText(r)].filter(Boolean).join(' ');
}
function verdictText(r) {
  if (r.outcome === 'failed' || r.pass === 0) return 'FAIL';
  return r.outcome === 'measured' || r.outcome === 'verified' ? (r.pass === 1 ? 'pass' : 'not verified') : r.outcome;
}
/// Any column, with its unit.
function fieldText(name, value) {
  if (value === null || value === undefined || value === '') return '';
  switch (units[name]) {
    case 'ns': return timeText(value) || '0';
    case 'fraction': return `${digits(value * 100)} %`;
    case 'truth': return value ? 'yes' : 'no';
    case '': return typeof value === 'number' && !Number.isInteger(value) ? digits(value) : String(value);
    default: return `${Number.isInteger(value) ? value.toLocaleString('en') : digits(value)} ${units[name]}`;
  }
}

function groupBy(list, key) {
  const groups = new Map();
  for (const item of list) {
    const k = key(item);
    if (!groups.has(k)) groups.set(k, []);
    groups.get(k).push(item);
  }
  return groups;
}
function distinct(list) {
  return [...new Set(list)];
}
function fastest(list) {
  return list.reduce((best, r) => (!best || r.median_ns < best.median_ns ? r : best), null);
}

const variants = distinct(records.map((r) => r.variant));
const devices = distinct(records.map((r) => r.device));
function colourOf(variant) {
  return `var(--c${variants.indexOf(variant) % 10})`;
}
