// What the conformance suite asks of a guest, in JavaScript: the member "do" says what.
// behaviours.c does the same.
let count = 0;

function dig(n) { return dig(n + 1) + dig(n + 2); }

const out = (payload) => ({payload});

const behaviours = {
  "filter": () => null,
  "twice": () => [out({n: 1}), out({n: 2})],
  "fail": () => { throw new Error("boom: the order is wrong"); },
  "emit, then fail": () => { throw new Error("boom at the end"); },
  "loop": () => { for (;;); },
  "recurse": () => dig(1),
  "hoard": () => { for (const kept = []; ;) kept.push(new Array(1000).fill(kept.length)); },
  "many": () => Array.from({length: 1000}, () => out(1)),
  "large": () => out("7".repeat(200 << 10)),
  "no message": () => undefined,
  "id": (msg) => out({id: msg.id}),
  "count": () => out({count: ++count}),
  "count, then fail": () => { count++; throw new Error("boom after the count"); },
};

export default function (msg) {
  const behave = behaviours[msg.payload.do];
  return behave ? behave(msg) : msg;
}
