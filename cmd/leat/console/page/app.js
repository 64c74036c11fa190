// The page: which pipeline is looked at, how it is, and what is done to it.

import { $, el, say, count, rate, bytes, post, events, setToken, twice } from './dom.js';
import { drawGraph, drawSpending, line } from './graph.js';
import * as letters from './letters.js';
import { followStages } from './stages.js';

let pipelines = [];
let chosen = decodeURIComponent(location.hash.slice(1)); // a pipeline's name
const history = new Map();                               // committed a second, by pipeline
const keep = 120;                                        // of them

function current() { return pipelines.find(p => p.pipeline === chosen) ?? pipelines[0]; }

function choosePipeline(name) {
  chosen = name;
  location.replace('#' + encodeURIComponent(name));
  draw();
}

function draw() {
  const p = current();
  if (!p) return;
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

function askToken() {
  link('wait', 'a token is needed');
  return new Promise(done => {
    $('token-form').addEventListener('submit', () => {
      setToken($('token').value);
      $('token').value = '';
      done();
    }, { once: true });
    $('ask').showModal();
  });
}

async function steer(what) {
  try {
    const { state } = await post(`/api/pipelines/${encodeURIComponent(current().pipeline)}/${what}`);
    current().state = state;
    draw();
    notice('');
  } catch (fault) {
    notice(fault.message);
  }
}

function notice(text) {
  $('notice').hidden = !text;
  say($('notice'), text);
}

let tailing = null; // ends the stream

async function tail() {
  const button = $('tail-switch');
  if (tailing) {
    tailing.abort();
    return;
  }
  tailing = new AbortController();
  button.setAttribute('aria-pressed', 'true');
  say(button, 'Stop');
  try {
    for await (const m of events(`/api/pipelines/${encodeURIComponent(current().pipeline)}/tail?rate=4`, tailing.signal)) {
      $('messages').prepend(el('li', {}, el('span', { class: 'note' }, `${m.node} ${m.seq} ${m.id}` + (m.passed > 1 ? `, one of ${count(m.passed)}` : '')),
        el('pre', {}, m.payload + (m.cut ? ' …' : ''))));
      while ($('messages').children.length > 30) $('messages').lastChild.remove();
    }
  } catch (fault) {
    if (fault.name !== 'AbortError') notice(fault.message);
  }
  tailing = null;
  button.setAttribute('aria-pressed', 'false');
  say(button, 'Show a sample');
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
twice($('drain'), () => steer('drain'));
$('tail-switch').addEventListener('click', tail);
letters.begin(twice);
followStages();
listen();
