// A sample of the messages that enter the pipeline that is looked at.

import { $, el, say, count, events } from './dom.js';

const most = 30; // messages on the page

export class Tail {
  #reading = null; // ends the stream; null while there is none

  // name says which pipeline is looked at, notice shows what went wrong.
  constructor(name, notice) {
    $('tail-switch').addEventListener('click', () => (this.#reading ? this.stop() : this.#start(name(), notice)));
  }

  stop() {
    this.#reading?.abort();
    this.#turn(null);
  }

  #turn(reading) {
    this.#reading = reading;
    $('tail-switch').setAttribute('aria-pressed', String(Boolean(reading)));
    say($('tail-switch'), reading ? 'Stop' : 'Show a sample');
  }

  async #start(pipeline, notice) {
    const mine = new AbortController();
    this.#turn(mine);
    try {
      for await (const message of events(`/api/pipelines/${encodeURIComponent(pipeline)}/tail?rate=4`, mine.signal)) {
        if (this.#reading !== mine) return;
        show(message);
      }
    } catch (fault) {
      if (this.#reading === mine) notice(fault.message);
    }
    if (this.#reading === mine) this.#turn(null);
  }
}

function show(m) {
  $('messages').prepend(el('li', {}, el('span', { class: 'note' }, `${m.node} ${m.seq} ${m.id}` + (m.passed > 1 ? `, one of ${count(m.passed)}` : '')),
    el('pre', {}, m.payload + (m.cut ? ' …' : ''))));
  while ($('messages').children.length > most) $('messages').lastChild.remove();
}
