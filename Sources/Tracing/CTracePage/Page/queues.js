const curveHeight = 26;

// How many blocks wait, for each queue: the number from each of its times on, and the largest
// number of each 256 of them, so that a curve of any length is drawn fast.
const curveStride = 256;

function makeCurve(arrivals, departures) {
  const times = new Float64Array(arrivals.length * 2);
  const depths = new Int32Array(times.length);
  const curve = { times, depths, peaks: new Int32Array(Math.ceil(times.length / curveStride)) };
  let [arrived, left] = [0, 0];
  for (let index = 0; index < times.length; index += 1) {
    // A block is sent before it begins, and time may not tell.
    if (arrived < arrivals.length && arrivals[arrived] <= departures[left]) {
      times[index] = arrivals[arrived];
      arrived += 1;
    } else {
      times[index] = departures[left];
      left += 1;
    }
    depths[index] = arrived - left;
    const stretch = Math.floor(index / curveStride);
    curve.peaks[stretch] = Math.max(curve.peaks[stretch], depths[index]);
  }
  curve.most = curve.peaks.reduce((most, depth) => Math.max(most, depth), 0);
  return curve;
}

function depthCurves() {
  const queues = trace.queues.map(() => ({ arrivals: [], departures: [] }));
  for (const call of byStart) {
    const number = queueOf(call);
    if (number < 0 || !isQueued(call)) continue;
    const queue = queues[number];
    queue.arrivals.push(sentAt(call));
    queue.departures.push(start[call]);
  }
  return queues.map(({ arrivals, departures }) =>
    makeCurve(Float64Array.from(arrivals).sort(), Float64Array.from(departures)));
}

// The largest number of blocks that waited at once between two times.
function deepestBetween({ times, depths, peaks }, from, to) {
  const first = firstIndex(0, times.length, (index) => times[index] > from) - 1;
  const last = firstIndex(Math.max(first, 0), times.length, (index) => times[index] >= to);
  let most = 0;
  let index = Math.max(first, 0);
  while (index < last) {
    const isWhole = index % curveStride === 0 && index + curveStride <= last;
    most = Math.max(most, isWhole ? peaks[index / curveStride] : depths[index]);
    index += isWhole ? curveStride : 1;
  }
  return most;
}

// Draws how many blocks waited in each pixel of a queue's lane, as tall as its largest number.
function paintCurve(context, { curve }, bottom) {
  const tall = curveHeight - 6;
  const heights = [];
  for (let x = gutter; x < view.width; x += 1) {
    const depth = deepestBetween(curve, timeAt(x), timeAt(x + 1));
    heights.push(depth === 0 ? 0 : Math.max(depth / curve.most * tall, 1.5));
  }
  context.beginPath();
  context.moveTo(gutter, bottom);
  heights.forEach((height, index) => {
    context.lineTo(gutter + index, bottom - height);
    context.lineTo(gutter + index + 1, bottom - height);
  });
  context.lineTo(view.width, bottom);
  context.closePath();
  context.fillStyle = theme.curve;
  context.globalAlpha = 0.55;
  context.fill();
  context.globalAlpha = 1;
}
