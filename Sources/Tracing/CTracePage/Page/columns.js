const element = (id) => document.getElementById(id);
const trace = JSON.parse(element('trace').textContent);
const callCount = trace.count;

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let place = 0; place < bytes.length; place += 1) bytes[place] = text.charCodeAt(place);
  return bytes;
}

// A column's numbers: differences, each with the number of its repetitions (see
// PackedNumbers.swift).
function unpack(base64, Numbers, count) {
  const bytes = bytesOf(base64);
  const values = new Numbers(count);
  let place = 0, index = 0, value = 0;
  const readRest = (scale) => {
    let rest = 0, factor = scale, byte = 128;
    while (byte > 127) {
      byte = bytes[place];
      place += 1;
      rest += (byte & 127) * factor;
      factor *= 128;
    }
    return rest;
  };
  while (index < count && place < bytes.length) {
    const head = bytes[place];
    place += 1;
    let difference = (head >> 2) & 31;
    if (head > 127) difference += readRest(32);
    if (head & 2) difference = -difference;
    if (head & 1) {
      const last = Math.min(index + readRest(1), count - 1);
      for (; index < last; index += 1) {
        value += difference;
        values[index] = value;
      }
    }
    value += difference;
    values[index] = value;
    index += 1;
  }
  return values;
}

const isTime = { start: true, duration: true, sequence: true, waited: true };
const calls = Object.fromEntries(Object.entries(trace.calls).map(([name, base64]) =>
  [name, unpack(base64, isTime[name] ? Float64Array : Int32Array, callCount)]));
trace.calls = null;

// Lists of texts, which arguments and callers are.
const listEnds = unpack(trace.lists.ends, Int32Array, trace.lists.count);
const listTexts = unpack(trace.lists.texts, Int32Array, trace.lists.total);
trace.lists = null;
const numbersOf = (list) => listTexts.subarray(list > 0 ? listEnds[list - 1] : 0, listEnds[list]);
const textsOf = (list) => Array.from(numbersOf(list), (text) => trace.texts[text]);

// Whether records of an ending ran; a block that did not, or a task that was suspended, waited
// until its `start`.
const hasStarted = trace.endings.map(({ outcome }) =>
  outcome !== 'pending' && outcome !== 'cancelled' && outcome !== 'suspended');
const isSuspended = trace.endings.map(({ outcome }) => outcome === 'suspended');
const hasThrown = trace.endings.map(({ error }) => error >= 0);
const endingOf = (call) => trace.endings[calls.ending[call]];

// Times from the first event of the trace, in nanoseconds; and the time of that by the wall clock,
// in milliseconds since 1970, if it is known.
const { start } = calls;
const end = new Float64Array(callCount);
const [traceEnd, traceDate] = (() => {
  let [first, last] = [Infinity, 0];
  for (let call = 0; call < callCount; call += 1) {
    const waited = Math.max(calls.waited[call], 0);
    if (!hasStarted[calls.ending[call]]) start[call] += waited;
    first = Math.min(first, start[call] - waited);
  }
  for (let call = 0; call < callCount; call += 1) {
    start[call] -= first;
    end[call] = start[call] + calls.duration[call];
    last = Math.max(last, end[call]);
  }
  const date = trace.unix === null || callCount === 0 ? null : (trace.unix + first) / 1e6;
  return [Math.max(last, 1000), date];
})();

const sendingOf = (call) => trace.sendings[calls.sending[call]];

// The list of those who sent a call's block, or made the call; -1 if they are not known.
const callersOf = (call) => sendingOf(call)?.callers ?? calls.callers[call];

// When a call's block was sent; not a number if that is not known.
const sentAt = (call) => (calls.waited[call] < 0 ? NaN : start[call] - calls.waited[call]);

// Whether a call's block waited for its queue, and not for what the program asked for or a task
// awaits.
const isQueued = (call) => calls.waited[call] >= 0 && !sendingOf(call)?.delayed
  && !isSuspended[calls.ending[call]];

// Sorts calls by their times, which are whole numbers (a radix sort: comparisons would take a
// second for a million calls).
function inOrder(list, times) {
  let isSorted = true, most = 0, before = -Infinity;
  for (const call of list) {
    isSorted &&= before <= times[call];
    before = times[call];
    most = Math.max(most, before);
  }
  if (isSorted) return list;
  const upper = (call) => Math.floor(times[call] / 4294967296);
  const digits = [
    (call) => (times[call] >>> 0) & 65535, (call) => (times[call] >>> 0) >>> 16,
    (call) => upper(call) & 65535, (call) => upper(call) >>> 16,
  ];
  let from = list, to = new Int32Array(list.length);
  digits.forEach((digit, number) => {
    if (most < 65536 ** number) return;
    const places = new Int32Array(65537);
    for (const call of from) places[digit(call) + 1] += 1;
    for (let value = 1; value < 65536; value += 1) places[value] += places[value - 1];
    for (const call of from) {
      const value = digit(call);
      to[places[value]] = call;
      places[value] += 1;
    }
    [from, to] = [to, from === list ? new Int32Array(list.length) : from];
  });
  return from;
}

const byStart = inOrder(new Int32Array(callCount).map((_, call) => call), start);
