import BlockABI
import CallTracing
import Foundation
import TestSupport
import XCTest

/// The stacks of a page, added up.
final class HTMLPageFlamesTests: XCTestCase {
  /// The stacks of a page with their weights, as in folded files.
  private static let fold = """
    const fold = (weight) => Object.fromEntries(flames().frames
      .map((frame, number) => [flames().path(number).slice(1)
        .map((each) => flames().frames[each].name).join(';'), frame[weight]])
      .filter(([, time]) => time > 0));
    """

  /// The folded stacks of one process, without its name.
  private func folded(
    _ records: [TraceRecord], _ weight: FoldedTraceSink.Weight
  ) throws -> [String: UInt64] {
    let text = Recorder<String>()
    let sink = FoldedTraceSink(TraceOutput(text.record), weight: weight)
    sink.receive(records)
    sink.finish()
    return Dictionary(
      uniqueKeysWithValues: try written(text).split(separator: "\n").map { line in
        let space = try XCTUnwrap(line.lastIndex(of: " "))
        let stack = line[..<space].split(separator: ";")
          .dropFirst(records.first?.processName == nil ? 0 : 1).joined(separator: ";")
        return (stack, try XCTUnwrap(UInt64(line[line.index(after: space)...])))
      })
  }

  private struct Stacks: Decodable {
    let own: [String: UInt64]
    let wait: [String: UInt64]
  }

  private func expectStacks(of text: String, asFolded records: [TraceRecord]) throws {
    let script = Self.fold + "return { own: fold('own'), wait: fold('wait') };"
    let page = try Browser().open(text, fragment: "lanes=flames", script: script)
    let stacks = try page.answer(Stacks.self)
    XCTAssertEqual(stacks.own, try folded(records, .ownTime))
    XCTAssertEqual(stacks.wait, try folded(records, .wait))
    XCTAssertFalse(stacks.own.isEmpty)
  }

  func testStacksOfNestedCallsAreThoseOfFoldedFiles() throws {
    let (text, records) = (Recorder<String>(), RecordingSink())
    try ServerScene().run([HTMLTraceSink(TraceOutput(text.record)), records], callCount: 400)
    try expectStacks(of: written(text), asFolded: records.records)
  }

  func testStacksOfSentBlocksAreThoseOfFoldedFiles() throws {
    let scene = try SubmissionScene(self)
    let queue = try scene.queue("scene.queue")
    scene.burst(5, to: queue)
    for block in [UInt(0x10), 0x20] { scene.send(block, to: queue.number) }
    scene.run(0x10, on: queue) { scene.run(0x20) }
    // A delay is no wait, and one never runs.
    scene.send(0x30, to: queue.number, by: .after)
    scene.run(0x30, on: queue)
    scene.send(0x40, to: queue.number)
    scene.runTasks(on: queue)
    let (text, records) = try scene.page()
    try expectStacks(of: text, asFolded: records)
  }

  func testKeysClicksAndTheAddressShowFrames() throws {
    let text = Recorder<String>()
    try ServerScene().run([HTMLTraceSink(TraceOutput(text.record))], callCount: 400)
    let script = """
      const states = [madeFlames === null ? 'not made' : 'made'];
      const note = async () => {
        await drawn();
        await drawn();
        const { lanes, frame, weight } = state();
        const shown = flameView.boxes.filter(({ width }) => width === view.width).length;
        states.push(`${lanes} ${frame} ${weight} ${location.hash} ${shown}`);
      };
      const click = (number) => {
        const box = flameView.boxes.find((each) => each.number === number);
        const { left, top } = canvas.getBoundingClientRect();
        const place = { clientX: left + box.left + box.width / 2, clientY: top + flameTop(number) + 5,
          button: 0, pointerId: 1, bubbles: true };
        canvas.setPointerCapture = () => {};
        canvas.dispatchEvent(new PointerEvent('pointermove', place));
        states.push(document.getElementById('tip').textContent.startsWith(flames().frames[number].name));
        canvas.dispatchEvent(new PointerEvent('pointerdown', place));
        canvas.dispatchEvent(new PointerEvent('pointerup', place));
      };
      key('4');
      await note();
      click(1);
      await note();
      key('ArrowDown');
      await note();
      states.push(flames().frames[flameView.frame].around);
      click(0);
      await note();
      key('w');
      await note();
      key('ArrowDown');
      key('Escape');
      key('w');
      await note();
      key('1');
      await note();
      location.hash = '#lanes=flames&frame=2&weight=wait';
      await note();
      location.hash = '#lanes=flames&frame=70000&weight=toString';
      await note();
      return states.map(String);
      """
    let states = try Browser().open(written(text), script: script).answer([String].self)
    let inner = states.count > 4 ? states[4].split(separator: " ").dropFirst().first ?? "" : ""
    XCTAssertNotEqual(inner, "0")
    XCTAssertEqual(
      states,
      [
        "not made", "flames 0 own #lanes=flames 2", "true",
        "flames 1 own #lanes=flames&frame=1 2",
        "flames \(inner) own #lanes=flames&frame=\(inner) 3",
        "1", "true", "flames 0 own #lanes=flames 2", "flames 0 wait #lanes=flames&weight=wait 1",
        "flames 0 own #lanes=flames 2", "threads 0 own  2",
        "flames 2 wait #lanes=flames&weight=wait&frame=2 3", "flames 0 own #lanes=flames 2",
      ])
  }

  func testTheSearchLightsFrames() throws {
    let text = Recorder<String>()
    try ServerScene().run([HTMLTraceSink(TraceOutput(text.record))], callCount: 100)
    let script = """
      const { frames } = flames();
      filter.search = frames[frames.length - 1].name;
      filterChanged();
      const wrong = frames.filter(({ name }, number) =>
        (name.includes(filter.search) ? 1 : 0) !== litFrames()[number]).length;
      const found = litFrames().reduce((sum, lit) => sum + lit, 0);
      key('n');
      await drawn();
      const isFound = litFrames()[flameView.frame] === 1;
      key('Escape');
      key('Escape');
      await drawn();
      return [wrong, found > 0 && found < frames.length ? 1 : 0, isFound ? 1 : 0,
        litFrames() === null ? 1 : 0];
      """
    let answer = try Browser().open(written(text), fragment: "lanes=flames", script: script)
      .answer([Int].self)
    XCTAssertEqual(answer, [0, 1, 1, 1])
  }

  func testFramesNarrowerThanHalfAPixelAreNotDrawn() throws {
    let scene = try SubmissionScene(self, capacity: 8 << 20)
    let queue = try scene.queue("scene.queue")
    scene.burst(50, to: queue)
    let script = """
      const { frames } = flames();
      const [parent] = frames[0].inside;
      const sums = flames().sums.own;
      const wide = sums[parent];
      flames().sums.own = Float64Array.from({ length: 20_001 }, (_, number) =>
        (number <= parent ? wide : number % 20 === 0 ? wide / 1_000 : wide / 1e6));
      for (let number = frames.length; number <= 20_000; number += 1) {
        frames.push({ ...frames[parent], name: `${number}`, around: parent, inside: [], row: 2 });
        frames[parent].inside.push(number);
      }
      draw();
      return flameView.boxes.length;
      """
    let count = try Browser().open(
      scene.page().text, fragment: "lanes=flames", script: script
    ).answer(Int.self)
    XCTAssertGreaterThan(count, 900)
    XCTAssertLessThan(count, 1_100)
  }
}
