const isEnded = trace.endings.map(({ outcome }) => outcome !== 'unfinished');

// The calls of each thread, inner ones before the one around them: as they ended, and then those
// that had not ended.
function innermostFirst() {
  const order = new Int32Array(callCount);
  const open = [];
  let count = 0;
  for (let call = 0; call < callCount; call += 1) {
    if (isEnded[calls.ending[call]]) order[count++] = call; else open.push(call);
  }
  order.set(open.sort((one, other) => calls.depth[other] - calls.depth[one] || one - other), count);
  return order;
}

// The time that each call took without the calls inside of it. Durations are not trusted.
function ownTimes(order) {
  const own = new Float64Array(callCount);
  const inside = trace.lanes.map(() => []);
  for (const call of order) {
    if (!hasStarted[calls.ending[call]]) continue;
    const [times, depth, duration] = [inside[calls.lane[call]], calls.depth[call], calls.duration[call]];
    own[call] = Math.max(duration - (times[depth + 1] ?? 0), 0);
    times[depth + 1] = 0;
    times[depth] = (times[depth] ?? 0) + duration;
  }
  return own;
}

// The stacks of all calls, added up as in `--folded` files. Frame 0 is all; in it are processes, if
// there are several, in these the functions that sent or made an outermost call, and then the
// calls. A frame's number is larger than that of the frame around it.
class Flames {
  frames = [{ name: 'all', around: 0, subject: -1, calls: 0, own: 0, wait: 0, inside: [], row: 0 }];
  frameOf = new Int32Array(callCount);
  known = new Map();

  constructor() {
    const order = innermostFirst();
    const own = ownTimes(order);
    const open = trace.lanes.map(() => []);
    // Backwards, so that a call comes before those inside of it.
    for (let index = callCount - 1; index >= 0; index -= 1) {
      const call = order[index];
      const [stack, depth] = [open[calls.lane[call]], calls.depth[call]];
      const around = depth > 0 ? stack[depth - 1] ?? 0 : this.sender(call);
      const subject = calls.subject[call];
      const number = this.inside(around, subject, subjects[subject].name, subject);
      const frame = this.frames[number];
      this.frameOf[call] = number;
      frame.calls += 1;
      frame.own += own[call];
      if (sendingOf(call) && isQueued(call)) frame.wait += calls.waited[call];
      if (!hasStarted[calls.ending[call]]) continue;
      stack.length = Math.min(stack.length, depth);
      stack[depth] = number;
    }
    this.known = null;
    this.sums = { own: this.sum('own'), wait: this.sum('wait') };
  }

  // The number of the frame of a key inside of another one.
  inside(around, key, name, subject = -1) {
    const place = around * 2 ** 32 + key;
    let number = this.known.get(place);
    if (number === undefined) {
      number = this.frames.length;
      this.known.set(place, number);
      const { inside, row } = this.frames[around];
      this.frames.push({ name, around, subject, calls: 0, own: 0, wait: 0, inside: [], row: row + 1 });
      inside.push(number);
    }
    return number;
  }

  // The frame of what sent or made an outermost call.
  sender(call) {
    const { process } = subjects[calls.subject[call]];
    let number = areSeveralProcesses
      ? this.inside(0, subjects.length + trace.texts.length + process, processText(process)) : 0;
    const list = callersOf(call);
    if (list < 0) return number;
    const callers = numbersOf(list);
    for (let index = callers.length - 1; index >= 0; index -= 1) {
      number = this.inside(number, subjects.length + callers[index], trace.texts[callers[index]]);
    }
    return number;
  }

  // Each frame's weight with those of all frames inside, and these in the order of theirs.
  sum(weight) {
    const sums = Float64Array.from(this.frames, (frame) => frame[weight]);
    for (let number = sums.length - 1; number > 0; number -= 1) {
      sums[this.frames[number].around] += sums[number];
    }
    return sums;
  }

  // The frames around one, from the outermost inwards, with itself.
  path(number) {
    const path = [number];
    while (path[0] > 0) path.unshift(this.frames[path[0]].around);
    return path;
  }
}

// They are made when they are first shown.
let madeFlames = null;
const flames = () => madeFlames ??= new Flames();
const isFlames = () => view.lanes === 'flames';
