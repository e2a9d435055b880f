// A row has the bars drawn on one line, sorted by begin, and the latest end up to each of them. A bar
// begins with its call, or before that with its wait.
function makeRow(list, begins) {
  const row = {
    calls: Int32Array.from(list), begin: Float64Array.from(begins),
    reach: new Float64Array(list.length), threw: null, matching: null,
  };
  let last = 0;
  for (let index = 0; index < list.length; index += 1) {
    row.reach[index] = last = Math.max(last, end[list[index]]);
  }
  return row;
}

// The row of some of a row's calls.
function partOf(row, isPart) {
  const list = [], begins = [];
  row.calls.forEach((call, index) => {
    if (!isPart(call)) return;
    list.push(call);
    begins.push(row.begin[index]);
  });
  return makeRow(list, begins);
}

// The rows of a lane while they are filled.
class RowBuilder {
  lists = [];

  // The end of the last bar of each row.
  ends = [];

  add(row, call, begin) {
    while (this.lists.length <= row) {
      this.lists.push({ calls: [], begins: [] });
      this.ends.push(-Infinity);
    }
    this.lists[row].calls.push(call);
    this.lists[row].begins.push(begin);
    this.ends[row] = Math.max(this.ends[row], end[call]);
  }

  // Adds a bar where it covers no other: in the first free row or, beyond so many rows, where most of its
  // wait is seen. Returns its row.
  stack(call, begin, rowLimit) {
    let row = this.ends.findIndex((last) => last <= begin);
    if (row < 0 && this.ends.length >= rowLimit) {
      row = this.ends.reduce((best, last, index) =>
        (last <= start[call] && (best < 0 || last < this.ends[best]) ? index : best), -1);
    }
    if (row < 0) row = Math.min(this.ends.length, deepest);
    this.add(row, call, Math.max(begin, Math.min(this.ends[row] ?? begin, start[call])));
    return row;
  }

  rows() {
    return this.lists.map(({ calls: list, begins }) => {
      const row = makeRow(list, begins);
      row.threw = partOf(row, (call) => hasThrown[calls.ending[call]]);
      row.matching = row;
      return row;
    });
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
const firstBeginningAfter = (row, time) =>
  firstIndex(0, row.calls.length, (index) => row.begin[index] > time);
