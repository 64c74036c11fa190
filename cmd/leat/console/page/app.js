// The page: which pipeline is looked at, how it is, and what is done to it. An answer may come after
// another pipeline is looked at: whatever awaits one knows for which it asked.

import { $, el, say, count, rate, bytes, post, events, setToken, twice } from './dom.js';
import { drawGraph, drawSpending, line } from './graph.js';
import * as letters from './letters.js';
import { followStages } from './stages.js';
import { Tail } from './tail.js';

let pipelines = [];
let chosen = named();         // a pipeline's name
let viewed = null;            // the one that was drawn last
const history = new Map();    // committed a second, by pipeline
const keep = 120;             // of them

function current() { return pipelines.find(p => p.pipeline === chosen) ?? pipelines[0]; }

// named is what the address names, which anybody may have written.
function named() {
  const text = location.hash.slice(1);
  try { return decodeURIComponent(text); } catch { return text; }
}

function choosePipeline(name) {
  chosen = name;
  location.replace('#' + encodeURIComponent(name));
  draw();
}

// leave ends what belongs to the pipeline that was looked at before.
function leave() {
  tail.stop();
  $('messages').replaceChildren();
  disarmDrain();
  notice('');
}

function draw() {
  const p = current();
  if (!p) return;
  if (viewed !== p.pipeline) {
    viewed = p.pipeline;
    leave();
  }
  document.title = `${p.pipeline}: ${p.state} · leat`;
  tabs(p);
  headline(p);
  drawGraph(p, node => {
    letters.only(node.name);
    (document.getElementById('spent-' + node.name) ?? $('letters')).scrollIntoView({ block: 'start' });
  });
  $('spending').hidden = drawSpending(p) === 0;
  for (const id of ['headline', 'flow', 'letters', 'tail']) $(id).hidden = false;
  letters.follow(p);
}

function tabs(p) {
  const nav = $('tabs'), names = pipelines.map(q => q.pipeline).join('\n');
  if (nav.dataset.names !== names) {
    nav.dataset.names = names;
    nav.replaceChildren(...pipelines.map(q => el('button', { type: 'button', click: () => choosePipeline(q.pipeline) }, q.pipeline)));
  }
  pipelines.forEach((q, i) => {
    nav.children[i].setAttribute('aria-current', q.pipeline === p.pipeline);
    nav.children[i].dataset.state = q.state;
  });
}

function headline(p) {
  say($('state'), p.state);
  $('state').dataset.state = p.state;
  say($('reason'), p.reason);
  say($('pause'), p.state === 'paused' ? 'Resume' : 'Pause');
  $('pause').disabled = !['running', 'paused', 'blocked'].includes(p.state);
  $('drain').disabled = ['draining', 'stopped'].includes(p.state);
  const numbers = [
    ['Committed', rate(p.rates.committed), `${count(p.committed)} in all`, line(history.get(p.pipeline) ?? [])],
    ['Read', rate(p.rates.read), p.source_bytes_total ? `${bytes(p.source_bytes_read)} of ${bytes(p.source_bytes_total)}` : `${count(p.read)} in all`,
      p.source_bytes_total ? gauge(p.source_bytes_read, p.source_bytes_total, 'read', 1) : null],
    ['In flight', count(p.in_flight), `${bytes(p.in_flight_bytes)}, at most ${count(p.in_flight_max)}`, gauge(p.in_flight, p.in_flight_max, 'in flight')],
    ['Lag', count(p.lag), 'rows behind the checkpoint'],
    ['Dead letters', count(p.dead_letters), `written by this run, ${rate(p.rates.dead_lettered)}`],
    ['Filtered', count(p.branches.filtered), `${count(p.branches.dropped)} dropped, ${count(p.branches.delivered)} delivered`],
    ['Spool', bytes(p.spool_bytes), `${count(p.spool_rows)} rows`, p.spool_bytes_max > 0 ? gauge(p.spool_bytes, p.spool_bytes_max, 'spool') : null],
  ];
  const list = $('numbers');
  if (list.children.length !== numbers.length) {
    list.replaceChildren(...numbers.map(([name]) => el('div', {}, el('dt', {}, name), el('dd', {}), el('dd', { class: 'note' }), el('dd', { class: 'picture' }))));
  }
  numbers.forEach(([name, value, note, picture], i) => {
    const [, dd, more, drawing] = list.children[i].children;
    list.children[i].dataset.name = name;
    say(dd, value);
    say(more, note);
    drawing.replaceChildren(...(picture ? [picture] : []));
  });
  list.children[4].classList.toggle('bad', p.dead_letters > 0);
}

function gauge(value, most, what, high = 0.9) {
  return el('meter', { min: 0, max: most, value, high: most * high, 'aria-label': what });
}

function remember() {
  for (const p of pipelines) {
    const values = history.get(p.pipeline) ?? [];
    values.push(p.rates.committed);
    history.set(p.pipeline, values.slice(-keep));
  }
}

function link(state, text) {
  $('link').dataset.state = state;
  say($('link'), text);
}

// listen reads the events for as long as there are any, and asks again when there are none.
async function listen() {
  for (let pause = 500; ; pause = Math.min(pause * 2, 8000)) {
    try {
      for await (const rows of events('/api/events')) {
        pause = 500;
        pipelines = rows;
        remember();
        link('live', 'live');
        draw();
      }
      link('lost', 'the run has ended, or the connection');
    } catch (fault) {
      if (fault.status === 401) {
        await askToken();
        continue;
      }
      link('lost', fault.status ? fault.message : 'no connection');
    }
    await new Promise(wake => setTimeout(wake, pause));
  }
}

// askToken returns once there is a token to try. Who closes the dialog is asked again by a button.
function askToken() {
  link('wait', 'a token is needed');
  const dialog = $('ask'), again = $('ask-again');
  return new Promise(done => {
    const show = () => {
      again.hidden = true;
      dialog.returnValue = '';
      dialog.showModal();
    };
    const closed = () => {
      if (dialog.open) return; // late word, and it is asked again by now
      const token = $('token').value;
      $('token').value = '';
      if (dialog.returnValue !== 'use') {
        again.hidden = false;
        again.focus();
        return;
      }
      dialog.removeEventListener('close', closed);
      again.removeEventListener('click', show);
      setToken(token);
      done();
    };
    dialog.addEventListener('close', closed);
    again.addEventListener('click', show);
    show();
  });
}

async function steer(what) {
  const name = current().pipeline;
  try {
    const { state } = await post(`/api/pipelines/${encodeURIComponent(name)}/${what}`);
    const p = pipelines.find(q => q.pipeline === name);
    if (p) p.state = state;
    draw();
    if (viewed === name) notice('');
  } catch (fault) {
    notice(viewed === name ? fault.message : `${name}: ${fault.message}`);
  }
}

function notice(text) {
  $('notice').hidden = !text;
  say($('notice'), text);
}

const themes = ['auto', 'light', 'dark'];

function theme(next) {
  document.documentElement.dataset.theme = next;
  localStorage.setItem('leat.theme', next);
  say($('theme'), 'theme: ' + next);
}

theme(themes.includes(localStorage.getItem('leat.theme')) ? localStorage.getItem('leat.theme') : 'auto');
$('theme').addEventListener('click', () => theme(themes[(themes.indexOf(document.documentElement.dataset.theme) + 1) % themes.length]));
$('pause').addEventListener('click', () => steer(current().state === 'paused' ? 'resume' : 'pause'));
const disarmDrain = twice($('drain'), () => steer('drain'));
const tail = new Tail(() => current().pipeline, notice);
addEventListener('hashchange', () => {
  const name = named(); // another anchor of the page names no pipeline
  if (name !== chosen && pipelines.some(p => p.pipeline === name)) choosePipeline(name);
});
letters.begin(twice);
followStages();
listen();
