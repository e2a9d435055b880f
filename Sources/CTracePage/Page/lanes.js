// Deeper calls share the last row.
const deepest = 2047;
const depthOf = (call) => Math.min(Math.max(calls.depth[call], 0), deepest);

// In a queue's lane so many rows show whole waits, those of a burst that are longest before others.
const waitingRows = 8;

const numberText = (process, text) => (areSeveralProcesses ? `${process} / ${text}` : `${text}`);

// A set of lanes, the lane and the row of each call in it; a lane is -1 for calls that it does not show.
const makeSet = (title, count) => ({
  title, lanes: [], shown: [], laneOf: new Int32Array(callCount).fill(-1),
  rowOf: new Uint16Array(callCount),
  builders: Array.from({ length: count }, () => new RowBuilder()),
});

function finishSet(set, items, order) {
  set.lanes = items.map((item, number) => ({
    ...item, number, rows: set.builders[number].rows(), top: 0, height: 0,
  }));
  for (const lane of set.lanes) {
    lane.first = lane.rows.reduce((first, { begin }) => Math.min(first, begin[0]),
      lane.first ?? Infinity);
  }
  set.shown = set.lanes.filter(({ first }) => first < Infinity)
    .sort((one, other) => order(one, other) || one.first - other.first);
  set.builders = null;
  return set;
}

const isMain = ({ process, thread }) => process === thread;

// Threads, the main one first: calls below the calls around them.
function threadLanes() {
  const set = makeSet('Thread', trace.lanes.length);
  const firstSent = new Float64Array(trace.lanes.length).fill(Infinity);
  for (const call of byStart) {
    const sender = calls.sender[call];
    if (sender >= 0 && calls.waited[call] >= 0) {
      firstSent[sender] = Math.min(firstSent[sender], sentAt(call));
    }
    if (!hasStarted[calls.ending[call]]) continue;
    const lane = calls.lane[call];
    set.laneOf[call] = lane;
    set.rowOf[call] = depthOf(call);
    set.builders[lane].add(set.rowOf[call], call, start[call]);
  }
  const items = trace.lanes.map((lane, number) => ({
    ...lane, name: lane.name || 'thread', first: firstSent[number],
    detail: numberText(lane.process, lane.thread) + (isMain(lane) ? ' · main' : ''),
  }));
  return finishSet(set, items, (one, other) => isMain(other) - isMain(one));
}

// The queue of a block, -1 for what is none.
function queueOf(call) {
  if (endingOf(call).wait) return -1;
  const sentTo = sendingOf(call)?.queue ?? -1;
  return sentTo >= 0 || calls.depth[call] > 0 ? sentTo : calls.queue[call];
}

// Queues: blocks with their waits, stacked so that none covers another, and how many wait.
function queueLanes() {
  const set = makeSet('Queue', trace.queues.length);
  const begins = new Float64Array(callCount);
  for (let call = 0; call < callCount; call += 1) {
    begins[call] = isQueued(call) ? sentAt(call) : start[call];
  }
  for (const call of inOrder(byStart, begins)) {
    const lane = queueOf(call);
    if (lane < 0) continue;
    set.laneOf[call] = lane;
    set.rowOf[call] = set.builders[lane].stack(call, begins[call], waitingRows);
  }
  const curves = depthCurves();
  const items = trace.queues.map((queue, number) => ({
    ...queue, name: queue.label || '(no label)', curve: curves[number],
    detail: [
      areSeveralProcesses ? queue.process : '',
      queue.serial === null ? '' : queue.serial ? 'serial' : 'concurrent', queue.qos ?? '',
    ].filter((text) => text !== '').join(' · '),
  }));
  return finishSet(set, items, () => 0);
}

// Swift tasks: their parts, each after the time for which the task was suspended.
function taskLanes() {
  const set = makeSet('Task', trace.tasks.length);
  const names = trace.tasks.map(() => null);
  for (const call of byStart) {
    const task = calls.task[call];
    if (task < 0 || !endingOf(call).part) continue;
    const builder = set.builders[task];
    const before = isQueued(call) ? sentAt(call) : start[call];
    names[task] ??= subjects[calls.subject[call]].name;
    set.laneOf[call] = task;
    builder.add(0, call, builder.lists.length > 0 ? Math.min(builder.ends[0], start[call]) : before);
  }
  const items = trace.tasks.map((task, number) => ({
    ...task, name: task.name ?? names[number] ?? 'task',
    detail: [`task ${numberText(task.process, task.number)}`, task.priority ?? '']
      .filter((text) => text !== '').join(' · '),
  }));
  return finishSet(set, items, () => 0);
}

const laneKinds = {
  threads: { make: threadLanes, count: trace.lanes.length },
  queues: { make: queueLanes, count: trace.queues.length },
  tasks: { make: taskLanes, count: trace.tasks.length },
};

// A set of lanes, which is made when it is first asked for.
function laneSet(kind) {
  laneKinds[kind].set ??= laneKinds[kind].make();
  return laneKinds[kind].set;
}
