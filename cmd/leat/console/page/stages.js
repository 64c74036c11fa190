// Causal stages: what they did, which records wait for their causes, and what blocks.

import { $, el, get, count } from './dom.js';

const pause = 2000; // milliseconds between two looks

// followStages shows the stages of the run for as long as the page is open; a run without
// any is asked once.
export async function followStages() {
  for (;;) {
    try {
      const stages = await get('/api/stages');
      if (!stages.length) return;
      $('stages').hidden = false;
      $('stage-cards').replaceChildren(...stages.map(card));
    } catch { /* the line above says that there is no connection, or asks for the token */ }
    await new Promise(wake => setTimeout(wake, pause));
  }
}

function card(s) {
  return el('article', {}, el('h3', {}, s.stage, ' ', el('span', { class: 'pill', 'data-state': s.state }, s.state)),
    s.reason ? el('p', { class: 'blocked' }, s.reason) : null,
    el('p', { class: 'note' }, `${count(s.received)} received, ${count(s.delivered)} delivered, ${count(s.emitted)} emitted, ` +
      `${count(s.held)} held, ${count(s.dead_letters)} dead letters`),
    s.blocked.length ? el('ul', {}, ...s.blocked.map(b => el('li', { class: 'blocked' },
      `${place(b)} is blocked for ${age(b.blocked_ms)}, tried ${b.tries} times: ${b.kind}: ${b.reason}`))) : null,
    s.holds.length ? el('ul', {}, ...s.holds.map(hold)) : null);
}

function hold(h) {
  const causes = h.missing.map(m => `${place(m)} (${m.code}, delivered up to ${m.frontier}, position ${m.position})`);
  return el('li', {}, `${place(h)} waits for ${age(h.held_ms)}` + (h.waiting_behind ? `, ${count(h.waiting_behind)} behind it` : '') +
    `, for ${causes.join('; ')}` + (h.cycle ? `. A cycle: ${h.cycle.join(', ')}` : ''));
}

function place(x) { return `${x.topic}:${x.partition}@${x.offset}`; }

function age(ms) { return ms < 60000 ? Math.round(ms / 1000) + ' s' : Math.round(ms / 60000) + ' min'; }
