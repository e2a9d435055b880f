const element = (id) => document.getElementById(id);
const trace = JSON.parse(element('trace').textContent);
const calls = trace.calls;
const callCount = calls.start.length;
const start = Float64Array.from(calls.start);
const end = start.map((begin, call) => begin + calls.duration[call]);
const traceEnd = Math.max(end.reduce((last, time) => Math.max(last, time), 0), 1000);

// A row has the calls drawn on one line, sorted by start, and the latest end up to each of them.
function makeRow(list) {
  const row = { calls: list, reach: new Float64Array(list.length), threw: [] };
  let last = 0;
  for (let index = 0; index < list.length; index += 1) {
    row.reach[index] = last = Math.max(last, end[list[index]]);
  }
  return row;
}

// Deeper calls share the last row.
const deepest = 2047;
const depthOf = (call) => Math.min(Math.max(calls.depth[call], 0), deepest);

const lanes = trace.lanes.map((lane) => ({ ...lane, rows: [], first: Infinity }));
for (let call = 0; call < callCount; call += 1) {
  const lane = lanes[calls.lane[call]];
  while (lane.rows.length <= depthOf(call)) lane.rows.push([]);
  lane.rows[depthOf(call)].push(call);
  lane.first = Math.min(lane.first, start[call]);
}
for (const lane of lanes) {
  lane.rows = lane.rows.map((list) => {
    list.sort((one, other) => start[one] - start[other]);
    const row = makeRow(list);
    row.threw = makeRow(list.filter((call) => calls.error[call] >= 0));
    row.matching = row;
    return row;
  });
}
// The main thread first, then the others in the order of their first calls.
const isMain = (lane) => lane.process === lane.thread;
const shownLanes = [...lanes].sort((one, other) =>
  isMain(other) - isMain(one) || one.first - other.first);

const subjects = trace.subjects.map((subject, number) => ({
  ...subject, number, file: fileName(subject.image),
  calls: 0, total: 0, mean: 0, max: 0, threw: 0, rank: 0,
}));
for (let call = 0; call < callCount; call += 1) {
  const subject = subjects[calls.subject[call]];
  const duration = calls.duration[call];
  subject.calls += 1;
  subject.total += duration;
  subject.max = Math.max(subject.max, duration);
  subject.threw += calls.error[call] >= 0 ? 1 : 0;
}
for (const subject of subjects) subject.mean = subject.total / subject.calls;
[...subjects].sort((one, other) => other.total - one.total)
  .forEach((subject, rank) => { subject.rank = rank; });

const outcomeOf = (call) => trace.texts[calls.outcome[call]];
const argumentsOf = (call) =>
  trace.lists[calls.arguments[call]].map((text) => trace.texts[text]);

// The selection of calls by the search box and the table.
const filter = { search: '', block: -1, count: callCount, isActive: false, matches: null };
let lowered = null;

function applyFilter() {
  const words = filter.search.toLowerCase();
  filter.isActive = words !== '' || filter.block >= 0;
  filter.order = null;
  filter.matches = null;
  filter.count = callCount;
  if (filter.isActive) {
    lowered ??= {
      texts: trace.texts.map((text) => text.toLowerCase()),
      subjects: subjects.map((subject) =>
        `${subject.title}\n${subject.name}\n${subject.image ?? ''}`.toLowerCase()),
    };
    const isHit = lowered.texts.map((text) => text.includes(words));
    const isSubjectHit = lowered.subjects.map((text) => text.includes(words));
    const isListHit = trace.lists.map((list) => list.some((text) => isHit[text]));
    filter.matches = new Uint8Array(callCount);
    filter.count = 0;
    for (let call = 0; call < callCount; call += 1) {
      const block = calls.subject[call];
      const isMatch = (filter.block < 0 || filter.block === block)
        && (isSubjectHit[block] || isListHit[calls.arguments[call]]
          || (calls.result[call] >= 0 && isHit[calls.result[call]])
          || (calls.error[call] >= 0 && isHit[calls.error[call]])
          || lowered.texts[calls.outcome[call]] === words);
      if (isMatch) {
        filter.matches[call] = 1;
        filter.count += 1;
      }
    }
  }
  for (const lane of lanes) {
    for (const row of lane.rows) {
      row.matching = filter.isActive
        ? makeRow(row.calls.filter((call) => filter.matches[call])) : row;
    }
  }
}

// The first index in a range from which on a condition holds (binary search).
function firstIndex(from, to, holds) {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle; else low = middle + 1;
  }
  return low;
}
const firstReaching = (row, time, from = 0) =>
  firstIndex(from, row.calls.length, (index) => row.reach[index] >= time);
const firstStartingAfter = (row, time) =>
  firstIndex(0, row.calls.length, (index) => start[row.calls[index]] > time);
