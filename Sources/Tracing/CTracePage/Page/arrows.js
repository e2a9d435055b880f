// Beyond so many calls in sight arrows would hide what they explain.
const arrowLimit = 200;

// The row of the innermost call that a thread was in at a time.
function rowAt(lane, time) {
  for (let depth = lane.rows.length - 1; depth > 0; depth -= 1) {
    const row = lane.rows[depth];
    const index = firstReaching(row, time);
    if (index < row.calls.length && row.begin[index] <= time) return depth;
  }
  return 0;
}

// Where an arrow goes from and to: from the thread that sent a call's block, at that time, to the
// call's begin; null if either is not known.
function arrowOf(call) {
  if (view.lanes !== 'threads' || call < 0) return null;
  const [sender, receiver] = [calls.sender[call], view.set.laneOf[call]];
  if (sender < 0 || receiver < 0 || calls.waited[call] < 0 || endingOf(call).wait) return null;
  const [from, to] = [view.set.lanes[sender], view.set.lanes[receiver]];
  if (!view.set.shown.includes(from) || !view.set.shown.includes(to)) return null;
  const sent = sentAt(call);
  const y = rowTop(from, rowAt(from, sent)), toY = rowTop(to, view.set.rowOf[call]);
  // In one row an arrow goes above the names.
  const middle = y === toY ? 0 : (rowHeight - 2) / 2;
  return {
    x: xOf(sent), y: y + middle, toX: xOf(start[call]), toY: toY + middle,
    rise: y === toY ? 9 : 0,
  };
}

function paintArrow(context, arrow, colour, thickness, alpha) {
  if (!arrow) return;
  const bound = (x) => Math.min(Math.max(x, -4000), view.width + 4000);
  const [x, toX] = [bound(arrow.x), bound(arrow.toX)];
  if (Math.max(x, toX) < gutter || Math.min(x, toX) > view.width) return;
  const bend = Math.min(Math.max(Math.abs(toX - x) / 2, 10), 90);
  context.globalAlpha = alpha;
  context.strokeStyle = context.fillStyle = colour;
  context.lineWidth = thickness;
  context.beginPath();
  context.moveTo(x, arrow.y);
  context.bezierCurveTo(
    x + bend, arrow.y - arrow.rise, toX - bend, arrow.toY - arrow.rise, toX - 4, arrow.toY);
  context.stroke();
  context.beginPath();
  context.arc(x, arrow.y, thickness + 1, 0, 2 * Math.PI);
  context.moveTo(toX, arrow.toY);
  context.lineTo(toX - 6, arrow.toY - 3.5);
  context.lineTo(toX - 6, arrow.toY + 3.5);
  context.fill();
  context.globalAlpha = 1;
  context.lineWidth = 1;
}

// The arrows of all calls in sight if they are few, and those of the hovered and the selected call.
function paintArrows(context) {
  view.arrowCount = 0;
  if (view.lanes !== 'threads' || trace.sendings.length === 0) return;
  context.save();
  context.beginPath();
  context.rect(gutter, axisHeight, plotWidth(), plotHeight());
  context.clip();
  if (countInSight() <= arrowLimit) {
    for (const lane of view.set.shown) {
      for (const { matching } of lane.rows) {
        const last = firstBeginningAfter(matching, view.to);
        for (let index = firstReaching(matching, view.from); index < last; index += 1) {
          const arrow = arrowOf(matching.calls[index]);
          view.arrowCount += arrow ? 1 : 0;
          paintArrow(context, arrow, theme.muted, 1, 0.75);
        }
      }
    }
  }
  paintArrow(context, arrowOf(view.hovered), theme.text, 1.5, 1);
  paintArrow(context, arrowOf(view.selected), theme.accent, 2, 1);
  context.restore();
}
