// A row has the bars drawn on one line, sorted by begin, and the latest end up to each of them. A
// bar begins with its call, or before that with its wait.
class Row {
  calls = [];
  begin = [];
  reach = [];

  // The bars of calls that threw, and those that match the search.
  threw = null;
  matching = this;

  // The end of the last bar.
  get last() { return this.reach.length > 0 ? this.reach[this.reach.length - 1] : -Infinity; }

  append(call, begin) {
    this.reach.push(Math.max(this.last, end[call]));
    this.calls.push(call);
    this.begin.push(begin);
  }

  add(call, begin) {
    this.append(call, begin);
    if (hasThrown[calls.ending[call]]) (this.threw ??= new Row()).append(call, begin);
  }
}

// Adds a bar to one of a lane's rows.
function addToRow(rows, number, call, begin) {
  while (rows.length <= number) rows.push(new Row());
  rows[number].add(call, begin);
}

// Adds a bar where it covers no other: in the first free row or, beyond so many rows, where most of
// its wait is seen. Returns the row's number.
function stack(rows, call, begin, rowLimit) {
  let number = rows.findIndex(({ last }) => last <= begin);
  if (number < 0 && rows.length >= rowLimit) {
    number = rows.reduce((best, { last }, index) =>
      (last <= start[call] && (best < 0 || last < rows[best].last) ? index : best), -1);
  }
  if (number < 0) number = Math.min(rows.length, deepest);
  const free = Math.max(begin, rows[number]?.last ?? begin);
  addToRow(rows, number, call, Math.min(free, start[call]));
  return number;
}

// The row of some of a row's calls.
function partOf(row, isPart) {
  const part = new Row();
  for (let index = 0; index < row.calls.length; index += 1) {
    if (isPart(row.calls[index])) part.append(row.calls[index], row.begin[index]);
  }
  return part;
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
