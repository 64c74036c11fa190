// Dead letters: the list with its filters, one letter as `leat dlq show` prints it, and
// replays, tried first without effect.

import { $, el, get, post, say, clock, count } from './dom.js';

let pipeline = '';   // whose letters are shown
let shown = [];      // the ids in the list
let known = -1;      // dead letters written when the list was read
let readAt = 0;
let reading = false, asked = false;
let open = null;     // the letter in the dialog
const again = 2000;  // milliseconds between two readings of the list

const at = path => `/api/pipelines/${encodeURIComponent(pipeline)}/${path}`;

// follow keeps the list in step with a pipeline's state.
export function follow(p) {
  if (p.pipeline !== pipeline) {
    pipeline = p.pipeline;
    known = -1;
  }
  if (p.dead_letters !== known && performance.now() - readAt > again) {
    known = p.dead_letters;
    refresh();
  }
}

// only shows the letters of one node.
export function only(node) {
  const choice = $('filters').elements.node;
  if (![...choice.options].some(o => o.value === node)) choice.append(el('option', { value: node }, node));
  choice.value = node;
  refresh();
}

async function refresh() {
  if (reading) {
    asked = true; // somebody typed on: once more, with what is there then
    return;
  }
  reading = true;
  asked = false;
  readAt = performance.now();
  try {
    const query = new URLSearchParams(new FormData($('filters')));
    for (const [name, value] of [...query]) if (!value) query.delete(name);
    show(await get(at('dlq?' + query)));
  } catch (fault) {
    say($('all-result'), 'The list cannot be read: ' + fault.message);
  } finally {
    reading = false;
    if (asked) refresh();
  }
}

function show(list) {
  shown = list.letters.map(l => l.id);
  choices('node', 'every node', list.nodes);
  choices('kind', 'every cause', list.kinds);
  say($('selected'), list.selected > list.letters.length ? `${count(list.selected)}, the newest ${list.letters.length} below` : list.selected);
  $('rows').replaceChildren(...list.letters.map(row));
  $('none').hidden = list.letters.length > 0;
  $('dry-all').disabled = !shown.length;
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

function row(l) {
  const cause = l.class === 'transform' && l.kind ? l.kind : l.class;
  return el('tr', { 'data-id': l.id, click: () => show1(l.id) },
    el('td', { 'data-label': 'When' }, el('time', { datetime: l.created_at }, clock(l.created_at))),
    el('td', { 'data-label': 'Node' }, l.node),
    el('td', { 'data-label': 'Cause' }, el('span', { class: 'cause' }, cause), l.quarantined ? ' quarantined' : ''),
    el('td', { 'data-label': 'Reason' }, el('button', { type: 'button', class: 'plain' }, l.reason.split('\n')[0] || l.id)));
}

async function show1(id) {
  try {
    const l = await get(at('dlq/' + encodeURIComponent(id)));
    open = l.letter;
    say($('letter-title'), `${l.letter.node}: ${l.letter.kind || l.letter.class}`);
    $('letter-text').replaceChildren(...letterText(l.text));
    say($('replay'), 'Replay into ' + l.letter.node);
    $('replay').disabled = true;
    $('result').replaceChildren();
    $('letter').showModal();
    $('letter-title').focus();
  } catch (fault) {
    say($('all-result'), fault.message);
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

async function run(button, into, work) {
  button.disabled = true;
  into.replaceChildren(el('span', { class: 'note' }, 'running …'));
  try {
    into.replaceChildren(...await work());
    return true;
  } catch (fault) {
    into.replaceChildren(el('span', { class: 'verdict other' }, fault.message));
    return false;
  } finally {
    button.disabled = false;
  }
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
  $('dry').addEventListener('click', async () => {
    const done = await run($('dry'), $('result'), async () => {
      const r = await post(at('replay'), { ids: [open.id], dry_run: true });
      return told(r.letters[0], words);
    });
    $('replay').disabled = !done;
  });
  $('replay').addEventListener('click', async () => {
    await run($('replay'), $('result'), async () => {
      const r = await post(at('replay'), { ids: [open.id], delete: $('delete-after').checked });
      return r.letters.length ? told(r.letters[0], past) : [el('p', {}, 'It is on its way.')];
    });
    $('replay').disabled = true;
    refresh();
  });
  twice($('delete'), async () => {
    try {
      await post(at('dlq/purge'), { ids: [open.id] });
      $('letter').close();
      refresh();
    } catch (fault) {
      say($('result'), fault.message);
    }
  });
  $('dry-all').addEventListener('click', async () => {
    const done = await run($('dry-all'), $('all-result'), async () => [summary(await post(at('replay'), { ids: shown, dry_run: true }))]);
    $('replay-all').disabled = !done;
  });
  $('replay-all').addEventListener('click', async () => {
    await run($('replay-all'), $('all-result'), async () => [summary(await post(at('replay'), { ids: shown, delete: true }))]);
    refresh();
  });
}
