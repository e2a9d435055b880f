const processNames = new Map(trace.processes.map(({ number, name }) => [number, name]));
const areSeveralProcesses = trace.processes.length > 1;
const processText = (number) => `${processNames.get(number) ?? 'process'} ${number}`;

// The sums of some calls, before any was added.
const startSums = () => ({
  calls: 0, total: 0, mean: 0, max: 0, threw: 0, unrun: 0, waits: 0, waitHalf: 0, waitMax: 0,
});

function addSums(sums, call) {
  if (!hasStarted[calls.ending[call]]) {
    if (!isSuspended[calls.ending[call]]) sums.unrun += 1;
    return;
  }
  const duration = calls.duration[call];
  sums.calls += 1;
  sums.total += duration;
  sums.max = Math.max(sums.max, duration);
  sums.threw += hasThrown[calls.ending[call]] ? 1 : 0;
}

// Adds to the sums the median and the longest of the times that the calls' blocks waited.
function addWaits(items, itemOf) {
  const places = new Int32Array(items.length + 1);
  for (let call = 0; call < callCount; call += 1) {
    const item = isQueued(call) ? itemOf(call) : -1;
    if (item >= 0) places[item + 1] += 1;
  }
  for (let item = 0; item < items.length; item += 1) places[item + 1] += places[item];
  const waits = new Float64Array(places[items.length]);
  const next = places.slice();
  for (let call = 0; call < callCount; call += 1) {
    const item = isQueued(call) ? itemOf(call) : -1;
    if (item < 0) continue;
    waits[next[item]] = calls.waited[call];
    next[item] += 1;
  }
  for (const item of items) {
    const [from, to] = [places[item.number], places[item.number + 1]];
    if (from === to) continue;
    if (to - from > 1) waits.subarray(from, to).sort();
    item.waits = to - from;
    item.waitHalf = waits[from + Math.ceil((to - from) / 2) - 1];
    item.waitMax = waits[to - 1];
  }
  return items;
}

const subjects = trace.subjects.map((subject, number) => ({
  ...startSums(), ...subject, number, file: fileName(subject.image), rank: 0,
}));
for (let call = 0; call < callCount; call += 1) addSums(subjects[calls.subject[call]], call);
for (const subject of subjects) subject.mean = subject.total / Math.max(subject.calls, 1);
[...subjects].sort((one, other) => other.total - one.total)
  .forEach((subject, rank) => { subject.rank = rank; });

const argumentsOf = (call) => textsOf(calls.arguments[call]);

// The selection of calls by the search box and the tables; a number is -1 for none.
const filter = {
  search: '', block: -1, queue: -1, task: -1, count: callCount, isActive: false, matches: null,
  version: 0,
};
let lowered = null;

function applyFilter() {
  const words = filter.search.toLowerCase();
  filter.isActive =
    words !== '' || filter.block >= 0 || filter.queue >= 0 || filter.task >= 0;
  filter.order = null;
  filter.matches = null;
  filter.count = callCount;
  filter.version += 1;
  if (filter.isActive) {
    lowered ??= {
      texts: trace.texts.map((text) => text.toLowerCase()),
      subjects: subjects.map((subject) =>
        `${subject.title}\n${subject.name}\n${subject.image ?? ''}`.toLowerCase()),
      queues: trace.queues.map(({ label }) => label.toLowerCase()),
    };
    const isHit = lowered.texts.map((text) => text.includes(words));
    const isSubjectHit = lowered.subjects.map((text) => text.includes(words));
    const isQueueHit = lowered.queues.map((text) => text.includes(words));
    const isListHit = listEnds.map((_, list) => numbersOf(list).some((text) => isHit[text]));
    const isEndingHit = trace.endings.map(({ outcome, error }) =>
      outcome === words || (error >= 0 && isHit[error]));
    filter.matches = new Uint8Array(callCount);
    filter.count = 0;
    for (let call = 0; call < callCount; call += 1) {
      const isMatch = (filter.block < 0 || filter.block === calls.subject[call])
        && (filter.queue < 0 || filter.queue === queueOf(call))
        && (filter.task < 0 || filter.task === calls.task[call])
        && (isSubjectHit[calls.subject[call]] || isListHit[calls.arguments[call]]
          || (calls.result[call] >= 0 && isHit[calls.result[call]])
          || isEndingHit[calls.ending[call]] || isQueueHit[queueOf(call)]);
      if (isMatch) {
        filter.matches[call] = 1;
        filter.count += 1;
      }
    }
  }
  for (const { rows } of view.set.ordered) {
    for (const row of rows) {
      row.matching = filter.isActive ? partOf(row, (call) => filter.matches[call]) : row;
    }
  }
  view.set.shown = view.set.ordered.filter(({ rows }) => !filter.isActive
    || rows.some(({ matching }) => matching.calls.length > 0));
  layOut();
}
