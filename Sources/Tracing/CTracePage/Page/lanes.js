// Deeper calls share the last row.
const deepest = 2047;
const depthOf = (call) => Math.min(Math.max(calls.depth[call], 0), deepest);

// In a queue's lane so many rows show whole waits: of a burst, those of the blocks that were sent
// first.
const waitingRows = 8;

// A set of lanes with the lane and the row of each call; the lane is -1 for calls that it does not
// show.
class LaneSet {
  laneOf = new Int32Array(callCount).fill(-1);
  rowOf = new Uint16Array(callCount);

  constructor(title, items, describe) {
    this.title = title;
    this.describe = describe;
    this.lanes = items.map((item, number) => ({
      ...startSums(), item, number, process: item.process, name: '', rows: [], first: Infinity,
      top: 0, height: 0, curve: null, suspended: 0,
    }));
  }

  place(call, lane, row) {
    this.laneOf[call] = lane;
    this.rowOf[call] = row;
  }

  // Orders the lanes that have something to show, by what `rank` says and then by time. Those with
  // a match are `shown`.
  finish(rank = () => 0) {
    for (const lane of this.lanes) {
      for (const { begin } of lane.rows) lane.first = Math.min(lane.first, begin[0]);
    }
    this.ordered = this.shown = this.lanes.filter(({ first }) => first < Infinity)
      .sort((one, other) => rank(one) - rank(other) || one.first - other.first);
    return this;
  }
}

const words = (...texts) => texts.filter((text) => text !== null && text !== '').join(' · ');
const numberText = (process, text) => (areSeveralProcesses ? `${process} / ${text}` : `${text}`);
const isMain = ({ process, thread }) => process === thread;

// Threads, the main one first: calls below the calls around them.
function threadLanes() {
  const set = new LaneSet('Thread', trace.lanes, ({ item }) =>
    words(numberText(item.process, item.thread), isMain(item) ? 'main' : ''));
  for (const lane of set.lanes) lane.name = lane.item.name || 'thread';
  for (const call of byStart) {
    const sender = set.lanes[calls.sender[call]];
    if (sender && calls.waited[call] >= 0) sender.first = Math.min(sender.first, sentAt(call));
    if (hasStarted[calls.ending[call]]) {
      set.place(call, calls.lane[call], depthOf(call));
      addToRow(set.lanes[calls.lane[call]].rows, depthOf(call), call, start[call]);
    }
  }
  return set.finish(({ item }) => (isMain(item) ? 0 : 1));
}

// The queue of a block, -1 for what is none.
function queueOf(call) {
  if (endingOf(call).wait) return -1;
  const sentTo = sendingOf(call)?.queue ?? -1;
  return sentTo >= 0 || calls.depth[call] > 0 ? sentTo : calls.queue[call];
}

const kindOf = (queue) => (queue.serial === null ? '' : queue.serial ? 'serial' : 'concurrent');

// Queues: blocks with their waits, stacked so that none covers another, and how many wait.
function queueLanes() {
  const set = new LaneSet('Queue', trace.queues, ({ item }) =>
    words(areSeveralProcesses ? `${item.process}` : '', kindOf(item), item.qos));
  const begins = new Float64Array(callCount);
  for (let call = 0; call < callCount; call += 1) {
    begins[call] = isQueued(call) ? sentAt(call) : start[call];
  }
  for (const call of inOrder(byStart, begins)) {
    const lane = queueOf(call);
    if (lane < 0) continue;
    set.place(call, lane, stack(set.lanes[lane].rows, call, begins[call], waitingRows));
    addSums(set.lanes[lane], call);
  }
  const curves = depthCurves();
  for (const lane of set.lanes) {
    lane.name = lane.item.label || '(no label)';
    lane.curve = curves[lane.number];
  }
  return set.finish();
}

// Swift tasks: their parts, each after the time for which the task was suspended.
function taskLanes() {
  const set = new LaneSet('Task', trace.tasks, ({ item }) =>
    words(`task ${numberText(item.process, item.number)}`, item.priority));
  for (const call of byStart) {
    const lane = set.lanes[calls.task[call]];
    if (!lane || !endingOf(call).part) continue;
    const ready = isQueued(call) ? sentAt(call) : start[call];
    lane.name ||= lane.item.name ?? subjects[calls.subject[call]].name;
    const last = lane.rows.reduce((latest, row) => Math.max(latest, row.last), -Infinity);
    const before = lane.rows.length > 0 ? Math.min(last, start[call]) : ready;
    lane.suspended += Math.max(ready - before, 0);
    // A part begins before the one before it has ended where that sends the task to another thread.
    set.place(call, lane.number, stack(lane.rows, call, before, 1));
    addSums(lane, call);
  }
  return set.finish();
}

const laneKinds = {
  threads: { make: threadLanes, count: trace.lanes.length },
  queues: { make: queueLanes, count: trace.queues.length },
  tasks: { make: taskLanes, count: trace.tasks.length },
  // Stacks are drawn in the place of lanes.
  flames: { make: () => laneSet('threads'), count: callCount },
};

// A set of lanes, which is made when it is first asked for.
function laneSet(kind) {
  laneKinds[kind].set ??= laneKinds[kind].make();
  return laneKinds[kind].set;
}
