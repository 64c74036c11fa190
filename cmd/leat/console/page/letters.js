// Dead letters: the list with its filters, one letter as `leat dlq show` prints it, and
// replays, tried first without effect.

import { $, el, get, post, say, clock, count } from './dom.js';

// view is the list of one pipeline. Who awaits an answer keeps the view, the list or the letter that it asked
// about, and drops the answer if that is not what is shown any more.
let view = newView('');
let opening = null;  // the last letter that was asked for
let open = null;     // the letter in the dialog, with its view
let disarmDelete = () => {};
const again = 2000;  // milliseconds between two readings of the list

function newView(pipeline) {
  return {
    pipeline,
    shown: [],           // the ids in the list
    known: -1,           // dead letters written when the list was read
    readAt: -Infinity,
    reading: false, asked: false,
    at: path => `/api/pipelines/${encodeURIComponent(pipeline)}/${path}`,
  };
}

// follow keeps the list in step with a pipeline's state.
export function follow(p) {
  if (p.pipeline !== view.pipeline) look(p.pipeline);
  if (p.dead_letters !== view.known && performance.now() - view.readAt > again) {
    view.known = p.dead_letters;
    refresh();
  }
}

// look leaves a pipeline: nothing of its list stays.
function look(pipeline) {
  view = newView(pipeline);
  opening = null;
  if ($('letter').open) $('letter').close();
  $('filters').elements.node.value = '';
  $('all-result').replaceChildren();
  $('rows').replaceChildren();
  $('none').hidden = true;
  say($('selected'), '');
  $('dry-all').disabled = $('replay-all').disabled = true;
}

// only shows the letters of one node.
export function only(node) {
  const choice = $('filters').elements.node;
  if (![...choice.options].some(o => o.value === node)) choice.append(el('option', { value: node }, node));
  choice.value = node;
  refresh();
}

function filters() {
  const query = new URLSearchParams(new FormData($('filters')));
  for (const [name, value] of [...query]) if (!value) query.delete(name);
  return String(query);
}

async function refresh() {
  const mine = view, query = filters();
  if (mine.reading) {
    mine.asked = true; // somebody typed on: once more, with what is there then
    return;
  }
  mine.reading = true;
  mine.asked = false;
  mine.readAt = performance.now();
  try {
    const list = await get(mine.at('dlq?' + query));
    if (view === mine && query === filters()) show(list);
  } catch (fault) {
    if (view === mine) say($('all-result'), 'The list cannot be read: ' + fault.message);
  } finally {
    mine.reading = false;
    if (view === mine && mine.asked) refresh();
  }
}

function show(list) {
  view.shown = list.letters.map(l => l.id);
  choices('node', 'every node', list.nodes);
  choices('kind', 'every cause', list.kinds);
  say($('selected'), list.selected > list.letters.length ? `${count(list.selected)}, the newest ${list.letters.length} below` : list.selected);
  place(list.letters);
  $('none').hidden = list.letters.length > 0;
  $('dry-all').disabled = !view.shown.length;
  $('replay-all').disabled = true;
}

// choices offers what there is, with its number, and keeps what is chosen.
function choices(name, all, numbers) {
  const select = $('filters').elements[name], chosen = select.value;
  if (document.activeElement === select) return; // not under somebody's hand
  const names = new Set([...Object.keys(numbers), ...(chosen ? [chosen] : [])]);
  select.replaceChildren(el('option', { value: '' }, all),
    ...[...names].sort().map(n => el('option', { value: n }, `${n} (${numbers[n] ?? 0})`)));
  select.value = chosen;
}

const says = new WeakMap(); // what a row was made from

// place lists the letters. A row that says the same stays the element that it is, so that a list which is read
// again takes neither the focus nor half a click away.
function place(letters) {
  const rows = $('rows'), there = new Map([...rows.children].map(tr => [says.get(tr), tr]));
  const held = rows.contains(document.activeElement) ? document.activeElement.closest('tr').dataset.id : '';
  const wanted = letters.map(l => there.get(JSON.stringify(l)) ?? row(l)), stay = new Set(wanted);
  for (const tr of [...rows.children]) if (!stay.has(tr)) tr.remove();
  wanted.forEach((tr, i) => { if (rows.children[i] !== tr) rows.insertBefore(tr, rows.children[i] ?? null); });
  if (held && !rows.contains(document.activeElement)) { // its row says something else now
    wanted.find(tr => tr.dataset.id === held)?.querySelector('button').focus({ preventScroll: true });
  }
}

function row(l) {
  const cause = l.class === 'transform' && l.kind ? l.kind : l.class;
  const tr = el('tr', { 'data-id': l.id, click: () => show1(l.id) },
    el('td', { 'data-label': 'When' }, el('time', { datetime: l.created_at }, clock(l.created_at))),
    el('td', { 'data-label': 'Node' }, l.node),
    el('td', { 'data-label': 'Cause' }, el('span', { class: 'cause' }, cause), l.quarantined ? ' quarantined' : ''),
    el('td', { 'data-label': 'Reason' }, el('button', { type: 'button', class: 'plain' }, l.reason.split('\n')[0] || l.id)));
  says.set(tr, JSON.stringify(l));
  return tr;
}

async function show1(id) {
  const mine = opening = { view };
  try {
    const l = await get(mine.view.at('dlq/' + encodeURIComponent(id)));
    if (opening !== mine) return; // another was asked for, or another pipeline
    open = { view, id: l.letter.id };
    disarmDelete();
    say($('letter-title'), `${l.letter.node}: ${l.letter.kind || l.letter.class}`);
    $('letter-text').replaceChildren(...letterText(l.text));
    say($('replay'), 'Replay into ' + l.letter.node);
    $('dry').disabled = false;
    $('replay').disabled = true;
    $('result').replaceChildren();
    $('letter').showModal();
    $('letter-title').focus();
  } catch (fault) {
    if (opening === mine) say($('all-result'), fault.message);
  }
}

// letterText keeps columns and carets where they are, and folds the payload, which is one
// long line.
function letterText(text) {
  const cut = text.lastIndexOf('\nthe message as it entered ') + 1;
  if (cut === 0) return [el('pre', { tabindex: 0 }, text)];
  return [el('pre', { class: 'columns', tabindex: 0 }, text.slice(0, cut).trimEnd()), el('pre', { tabindex: 0 }, text.slice(cut).trimEnd())];
}

const words = { fixed: 'It would be fixed', same: 'It fails the same way', other: 'It fails in another way', skipped: 'It cannot be tried' };
const past = { fixed: 'It is fixed and committed', same: 'It failed the same way again', other: 'It failed in another way', skipped: 'It was not replayed' };

function told(l, text) {
  const parts = [el('p', { class: 'verdict ' + l.after }, text[l.after] + (l.failure ? ': ' + l.failure.reason : '.'))];
  if (l.outputs) {
    parts.push(el('p', { class: 'note' }, l.outputs.length ? `${l.outputs.length} output${l.outputs.length > 1 ? 's' : ''}, sent to nobody:` : 'No output: it would be filtered.'));
    for (const o of l.outputs.slice(0, 5)) parts.push(el('pre', {}, pretty(o.payload) + (o.cut ? ' …' : '')));
  }
  if (l.text) parts.push(...letterText(l.text));
  return parts;
}

export function pretty(text) {
  // Not for what a number of the browser cannot hold: there the text stays as it is.
  if (/\d{16,}/.test(text)) return text;
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
}

// run shows what work comes to, for as long as still says that this is wanted. It returns whether it
// came to something that is.
async function run(button, into, still, work) {
  button.disabled = true;
  into.replaceChildren(el('span', { class: 'note' }, 'running …'));
  let parts, done = false;
  try {
    parts = await work();
    done = true;
  } catch (fault) {
    parts = [el('span', { class: 'verdict other' }, fault.message)];
  }
  if (!still()) return false;
  into.replaceChildren(...parts);
  button.disabled = false;
  return done;
}

function summary(r) {
  const parts = r.dry_run
    ? [[r.committed, 'would be fixed'], [r.failed_again, 'would fail again']]
    : [[r.committed, 'committed'], [r.failed_again, 'failed again']];
  parts.push([r.skipped, 'skipped'], [r.quarantined, 'quarantined']);
  return parts.filter(([n]) => n).map(([n, what]) => `${n} ${what}`).join(', ') || 'nothing was selected';
}

// begin wires what is on the page. It is called once.
export function begin(twice) {
  $('filters').addEventListener('input', refresh);
  $('filters').addEventListener('submit', event => { event.preventDefault(); refresh(); });
  $('letter').addEventListener('close', () => {
    if ($('letter').open) return; // word comes when the browser has time: another letter is open by now
    open = null;
    disarmDelete();
  });
  beginOne(twice);
  beginAll();
}

// beginOne wires what is done with the letter in the dialog.
function beginOne(twice) {
  $('dry').addEventListener('click', async () => {
    const mine = open;
    const done = await run($('dry'), $('result'), () => open === mine, async () => {
      const r = await post(mine.view.at('replay'), { ids: [mine.id], dry_run: true });
      return told(r.letters[0], words);
    });
    if (done) $('replay').disabled = false;
  });
  $('replay').addEventListener('click', async () => {
    const mine = open;
    const done = await run($('replay'), $('result'), () => open === mine, async () => {
      const r = await post(mine.view.at('replay'), { ids: [mine.id], delete: $('delete-after').checked });
      return r.letters.length ? told(r.letters[0], past) : [el('p', {}, 'It is on its way.')];
    });
    if (done || open === mine) $('replay').disabled = true;
    if (view === mine.view) refresh();
  });
  disarmDelete = twice($('delete'), async () => {
    const mine = open;
    try {
      await post(mine.view.at('dlq/purge'), { ids: [mine.id] });
      if (open === mine) $('letter').close();
      if (view === mine.view) refresh();
    } catch (fault) {
      if (open === mine) say($('result'), fault.message);
    }
  });
}

// beginAll wires what is done with the letters in the list.
function beginAll() {
  $('dry-all').addEventListener('click', async () => {
    const mine = view, ids = view.shown;
    const done = await run($('dry-all'), $('all-result'), () => view === mine, async () => [summary(await post(mine.at('replay'), { ids, dry_run: true }))]);
    if (done && mine.shown === ids) $('replay-all').disabled = false; // else others are listed by now
  });
  $('replay-all').addEventListener('click', async () => {
    const mine = view, ids = view.shown;
    await run($('replay-all'), $('all-result'), () => view === mine, async () => [summary(await post(mine.at('replay'), { ids, delete: true }))]);
    if (view === mine) refresh();
  });
}
