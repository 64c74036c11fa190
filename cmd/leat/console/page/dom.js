// What every part of the page uses: elements, numbers for people, and the API. Text that
// comes from a pipeline goes into the document as text nodes, never as markup.

const SVG = 'http://www.w3.org/2000/svg';

export const $ = id => document.getElementById(id);

// el makes an element. Attributes that are functions become listeners; children that are no
// nodes become text.
export function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') node.addEventListener(name, value);
    else if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.filter(c => c !== null && c !== undefined).map(c => (c instanceof Node ? c : String(c))));
  return node;
}

// say sets a text only where it differs, so that a reader's selection survives.
export function say(node, text) {
  text = String(text);
  if (node.textContent !== text) node.textContent = text;
}

const steps = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']];

// count shortens a number: 12345 is 12.3k.
export function count(n) {
  for (const [size, letter] of steps) {
    if (Math.abs(n) >= size) return trim(n / size) + letter;
  }
  return trim(n);
}

function trim(n) {
  const digits = Math.abs(n) >= 100 ? 0 : Math.abs(n) >= 10 ? 1 : 2;
  return String(Number(n.toFixed(digits)));
}

export function rate(n) {
  return (n > 0 && n < 0.95 ? n.toFixed(1) : count(Math.round(n))) + '/s';
}

export function bytes(n) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let u = 0;
  while (n >= 1024 && u < units.length - 1) { n /= 1024; u++; }
  return trim(n) + ' ' + units[u];
}

export function seconds(s) {
  if (s === 0) return '0';
  if (s < 1e-3) return trim(s * 1e6) + ' µs';
  if (s < 1) return trim(s * 1e3) + ' ms';
  return trim(s) + ' s';
}

// ago is a time for a list: the clock's today, the date before.
export function clock(text) {
  const t = new Date(text);
  const today = new Date().toDateString() === t.toDateString();
  return today ? t.toLocaleTimeString() : t.toLocaleDateString() + ' ' + t.toLocaleTimeString();
}

// Refused is an answer that is no success.
export class Refused extends Error {
  constructor(status, text) { super(text); this.status = status; }
}

const tokenKey = 'leat.token';

export function setToken(token) { sessionStorage.setItem(tokenKey, token); }

async function ask(path, options = {}) {
  const headers = { ...options.headers };
  const token = sessionStorage.getItem(tokenKey);
  if (token && /[^\x20-\x7e]/.test(token)) throw new Refused(401, 'the token holds what no header can');
  if (token) headers.Authorization = 'Bearer ' + token;
  const response = await fetch(path, { ...options, headers, cache: 'no-store' });
  if (response.ok) return response;
  let text = response.statusText;
  try { text = (await response.json()).error; } catch { /* the status says enough */ }
  throw new Refused(response.status, text);
}

export async function get(path) { return (await ask(path)).json(); }

export async function post(path, body = {}) {
  return (await ask(path, { method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } })).json();
}

// events yields what a stream of server-sent events says. It is read by fetch, since the
// browser's own reader sends no header, and the token travels in no other way.
export async function* events(path, signal) {
  const response = await ask(path, { signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += value;
      for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
        const data = rest.slice(0, end).split('\n').find(line => line.startsWith('data: '));
        rest = rest.slice(end + 2);
        if (data) yield JSON.parse(data.slice(6));
      }
    }
  } finally {
    reader.cancel().catch(() => { /* it ended already */ }); // who stops reading holds no stream of the server
  }
}

// twice makes a grave button ask before it acts: the first press arms it for a while. What it returns
// disarms it: a press for one thing must not count for the next.
export function twice(button, act) {
  const calm = button.textContent;
  let armed = 0;
  const disarm = () => {
    clearTimeout(armed);
    armed = 0;
    button.textContent = calm;
  };
  button.addEventListener('click', () => {
    if (!armed) {
      button.textContent = calm + ': sure?';
      armed = setTimeout(disarm, 5000);
      return;
    }
    disarm();
    act();
  });
  return disarm;
}
