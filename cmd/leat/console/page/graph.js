// The pictures: the pipeline's graph with rates on its edges, and what calls spend beside
// their budget.

import { $, el, svg, say, count, rate, bytes, seconds } from './dom.js';

// A graph runs from left to right, or from top to bottom where the page is narrow.
const narrow = matchMedia('(max-width: 620px)');
const wide = { width: 176, height: 62, next: 128, beside: 26, pad: 8, upright: false };
const upright = { width: 158, height: 62, next: 50, beside: 14, pad: 2, upright: true };
let box = wide;

let drawn = '';          // what the graph on the page was made from
const labels = new Map(); // its texts, by what they show

// drawGraph makes the graph anew where nodes or edges changed, and sets its numbers.
export function drawGraph(p, choose) {
  box = narrow.matches ? upright : wide;
  const shape = JSON.stringify([box.upright, p.pipeline, p.nodes.map(n => n.name), p.edges.map(e => [e.from, e.to])]);
  if (shape !== drawn) {
    drawn = shape;
    build(p, choose);
  }
  for (const n of p.nodes) {
    const l = labels.get('node ' + n.name);
    say(l.rate, rate(n.rate));
    say(l.more, n.role === 'source' ? count(n.out) + ' accepted' : [
      n.waiting ? count(n.waiting) + ' wait' : '', n.failed ? count(n.failed) + ' failed' : '',
    ].filter(Boolean).join(', '));
    l.group.setAttribute('class', `node ${n.role}` + (n.failed ? ' failing' : '') + (n.rate > 0 ? ' busy' : ''));
    l.group.setAttribute('aria-label', `${n.role} ${n.name}: ${rate(n.rate)}, ${n.failed} failed attempts`);
  }
  for (const e of p.edges) {
    const l = labels.get('edge ' + e.from + ' ' + e.to);
    say(l.rate, rate(e.rate));
    l.path.setAttribute('stroke-width', 1.5 + Math.min(4, Math.log10(1 + e.rate)));
    l.path.classList.toggle('busy', e.rate > 0);
  }
}

function build(p, choose) {
  labels.clear();
  const place = layout(p);
  const graph = $('graph');
  graph.setAttribute('class', box.upright ? 'upright' : '');
  graph.replaceChildren(svg('title', {}, `Pipeline ${p.pipeline}: ${p.nodes.length} nodes, ${p.edges.length} edges`));
  graph.setAttribute('width', place.width);
  graph.setAttribute('height', place.height);
  graph.setAttribute('viewBox', `0 0 ${place.width} ${place.height}`);
  for (const e of p.edges) graph.append(edge(e, place.at.get(e.from), place.at.get(e.to)));
  for (const n of p.nodes) graph.append(node(n, place.at.get(n.name), choose));
}

// layout puts every node right of all that feed it, and near to them.
function layout(p) {
  const depth = new Map(p.nodes.map(n => [n.name, 0]));
  for (let moved = true; moved;) {
    moved = false;
    for (const e of p.edges) {
      if (depth.get(e.to) < depth.get(e.from) + 1) { depth.set(e.to, depth.get(e.from) + 1); moved = true; }
    }
  }
  const columns = [];
  for (const n of p.nodes) (columns[depth.get(n.name)] ??= []).push(n.name);
  const row = new Map();
  for (const column of columns) {
    const wish = name => {
      const rows = p.edges.filter(e => e.to === name && row.has(e.from)).map(e => row.get(e.from));
      return rows.length ? rows.reduce((a, b) => a + b) / rows.length : 0;
    };
    const wishes = new Map(column.map(name => [name, wish(name)]));
    column.sort((a, b) => wishes.get(a) - wishes.get(b));
    const middle = column.reduce((sum, name) => sum + wishes.get(name), 0) / column.length;
    column.forEach((name, i) => row.set(name, middle + i - (column.length - 1) / 2));
  }
  const rows = [...row.values()], top = Math.min(...rows);
  const at = new Map();
  for (const n of p.nodes) {
    at.set(n.name, spot(depth.get(n.name), row.get(n.name) - top));
  }
  const end = spot(columns.length - 1, Math.max(...rows) - top);
  return { at, width: end.x + box.width + box.pad, height: end.y + box.height + box.pad };
}

function spot(depth, row) {
  return box.upright
    ? { x: box.pad + row * (box.width + box.beside), y: box.pad + depth * (box.height + box.next) }
    : { x: box.pad + depth * (box.width + box.next), y: box.pad + row * (box.height + box.beside) };
}

function edge(e, from, to) {
  const [x1, y1, x2, y2] = box.upright
    ? [from.x + box.width / 2, from.y + box.height, to.x + box.width / 2, to.y]
    : [from.x + box.width, from.y + box.height / 2, to.x, to.y + box.height / 2];
  const bend = Math.max(box.upright ? 24 : 40, (box.upright ? y2 - y1 : x2 - x1) / 2);
  const [bx, by] = box.upright ? [0, bend] : [bend, 0];
  const path = svg('path', { d: `M${x1} ${y1} C${x1 + bx} ${y1 + by} ${x2 - bx} ${y2 - by} ${x2} ${y2}`, class: 'edge' + (e.required ? '' : ' optional') });
  const middle = { x: (x1 + x2) / 2 + (box.upright ? 10 : 0), y: (y1 + y2) / 2 };
  const text = svg('text', { x: middle.x, y: middle.y - (box.upright ? 4 : 7), class: 'rate' });
  labels.set('edge ' + e.from + ' ' + e.to, { path, rate: text });
  const about = `${e.from} to ${e.to}` + (e.when ? `, when ${e.when}` : '') + (e.required ? '' : ', not required');
  return svg('g', { class: 'edge' }, svg('title', {}, about), path,
    e.when ? svg('text', { x: middle.x, y: middle.y + (box.upright ? 11 : 15), class: 'when' }, shorten(e.when, 20)) : null, text);
}

function node(n, at, choose) {
  const group = svg('g', { tabindex: 0, role: 'button', transform: `translate(${at.x} ${at.y})`,
    click: () => choose(n), keydown: event => {
      if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); choose(n); }
    } });
  const rateText = svg('text', { x: box.width - 12, y: 25, class: 'rate end' });
  const more = svg('text', { x: box.width - 12, y: 46, class: 'more end' });
  const kind = n.plugin + (n.workers > 1 ? ` ×${n.workers}` : '');
  group.append(svg('title', {}, `${n.role} ${n.name}`), svg('rect', { width: box.width, height: box.height, rx: 9 }),
    svg('rect', { width: 5, height: box.height - 18, x: 0, y: 9, rx: 2, class: 'mark' }),
    svg('text', { x: 16, y: 25, class: 'name' }, shorten(n.name, 13)), svg('text', { x: 16, y: 46, class: 'kind' }, kind), rateText, more);
  labels.set('node ' + n.name, { group, rate: rateText, more });
  return group;
}

function shorten(text, most) { return text.length > most ? text.slice(0, most - 1) + '…' : text; }

const measures = [['fuel', 'Fuel', count], ['seconds', 'Time', seconds], ['memory', 'Memory', bytes]];

// drawSpending shows a card for every transform that guests run.
export function drawSpending(p) {
  const cards = $('cards');
  const nodes = p.nodes.filter(n => n.spent);
  const names = nodes.map(n => n.name).join('\n');
  if (cards.dataset.names !== names) {
    cards.dataset.names = names;
    cards.replaceChildren(...nodes.map(n => el('article', { id: 'spent-' + n.name, tabindex: -1 },
      el('h3', {}, n.name, ' ', el('span', { class: 'count' }, n.plugin)), el('div', { class: 'charts' }))));
  }
  nodes.forEach((n, i) => cards.children[i].querySelector('.charts').replaceChildren(
    ...measures.map(([key, title, show]) => chart(title, n.spent[key], show))));
  return nodes.length;
}

const plot = { width: 300, height: 92, foot: 20 };

function chart(title, d, show) {
  const head = el('figcaption', {}, el('b', {}, title), d.count
    ? ` p50 ${show(d.p50)} · p95 ${show(d.p95)} · p99 ${show(d.p99)}` : ' nothing yet');
  const share = d.count && d.budget ? `p99 is ${percent(d.p99 / d.budget)} of the budget, ${show(d.budget)}` : `budget ${show(d.budget)}`;
  const figure = el('figure', {}, head, bars(d, show, `${title}: ${share}`), el('p', { class: 'note' }, share));
  figure.classList.toggle('near', d.count > 0 && d.budget > 0 && d.p99 > 0.8 * d.budget);
  return figure;
}

function percent(share) { return share < 0.001 ? 'less than 0.1 %' : Number((share * 100).toPrecision(2)) + ' %'; }

function bars(d, show, about) {
  const picture = svg('svg', { viewBox: `0 0 ${plot.width} ${plot.height}`, role: 'img' }, svg('title', {}, about));
  const values = d.buckets.flatMap(b => [b.above || b.up_to / 2, b.up_to ?? b.above * 2]);
  if (d.budget) values.push(d.budget, ...(values.length ? [] : [d.budget / 1000]));
  const low = Math.log(Math.min(...values)), high = Math.log(Math.max(...values) * 1.25);
  const x = v => high > low ? (Math.log(v) - low) / (high - low) * plot.width : 0;
  const ground = plot.height - plot.foot, most = Math.max(1, ...d.buckets.map(b => b.count));
  for (const b of d.buckets) {
    if (!b.count) continue;
    const from = x(b.above || b.up_to / 2), to = x(b.up_to ?? b.above * 2);
    const tall = Math.max(2, b.count / most * (ground - 14));
    const over = d.budget && (b.above >= d.budget || b.up_to === null);
    picture.append(svg('rect', { x: from + 0.75, y: ground - tall, width: Math.max(1.5, to - from - 1.5), height: tall, rx: 1.5, class: over ? 'over' : 'bar' },
      svg('title', {}, `${show(b.above)} to ${b.up_to === null ? 'more' : show(b.up_to)}: ${count(b.count)}`)));
  }
  picture.append(svg('line', { x1: 0, x2: plot.width, y1: ground, y2: ground, class: 'ground' }));
  if (d.budget) {
    const at = Math.min(plot.width - 2, x(d.budget));
    picture.append(svg('line', { x1: at, x2: at, y1: 4, y2: ground, class: 'budget' }),
      svg('text', { x: at - 4, y: plot.height - 5, class: 'axis end' }, 'budget ' + show(d.budget)));
  }
  if (d.buckets.length) picture.append(svg('text', { x: 0, y: plot.height - 5, class: 'axis' }, show(d.buckets[0].above)));
  return picture;
}

// line draws the last values of a rate.
export function line(values) {
  const width = 120, height = 26, most = Math.max(1e-9, ...values);
  const points = values.map((v, i) => `${(i / Math.max(1, values.length - 1) * width).toFixed(1)},${(height - 2 - v / most * (height - 4)).toFixed(1)}`);
  return svg('svg', { viewBox: `0 0 ${width} ${height}`, class: 'line', 'aria-hidden': 'true' }, svg('polyline', { points: points.join(' ') }));
}
