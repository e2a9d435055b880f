const units = [['ns', 1], ['µs', 1e3], ['ms', 1e6], ['s', 1e9]];

// The largest unit of which a time, rounded to three digits, is at least one.
function unitOf(time) {
  let found = units[0];
  for (const unit of units) if (time >= unit[1] * 0.9995) found = unit;
  return found;
}

// A duration with three digits.
function formatTime(time) {
  const [name, size] = unitOf(time);
  const value = time / size;
  const digits = size === 1 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${formatCount(value, digits)} ${name}`;
}

const formats = [];
function formatCount(value, digits = 0) {
  formats[digits] ??= new Intl.NumberFormat('en', {
    minimumFractionDigits: digits, maximumFractionDigits: digits,
  });
  return formats[digits].format(value);
}

// "1 call", "2 calls".
function plural(count, noun, several = `${noun}s`) {
  return `${formatCount(count)} ${count === 1 ? noun : several}`;
}

function fileName(path) { return path ? path.slice(path.lastIndexOf('/') + 1) : ''; }

// Steps of 1, 2 or 5 times a power of ten, about `count` in a span.
function tickStep(span, count) {
  const rough = span / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5].find((step) => step * power >= rough) ?? 10);
}
