import BlockABI
import BlockHooks
import CallTracing
import Foundation
import TestSupport
import XCTest

/// The lanes of a page: those of queues and tasks, and their choice.
final class HTMLPageLanesTests: XCTestCase {
  /// What the lanes of a page are, and whether a bar covers another.
  private static let lanes = """
    const seen = view.set.lanes.map((lane) => ({
      name: lane.name, detail: view.set.describe(lane), most: lane.curve?.most ?? 0,
      bars: lane.rows.map(({ calls: list }) => [...list]),
      begins: lane.rows.map(({ begin }) => [...begin]),
      covers: lane.rows.reduce((count, { calls: list, begin }) => count
        + list.filter((call, index) => index > 0 && begin[index] < end[list[index - 1]]).length, 0),
    }));
    """

  private struct Lane: Decodable {
    let name: String
    let detail: String
    let most: Int
    let bars: [[Int]]
    let begins: [[Double]]
    let covers: Int
  }

  func testQueuesShowBlocksWithTheirWaitsAndHowManyWaited() throws {
    let scene = try SubmissionScene(self)
    let serial = try scene.queue("scene.serial")
    let other = try scene.queue("scene.other", isSerial: false)
    scene.burst(20, to: serial)
    scene.send(0x10, to: other.number, by: .after)
    // The second runs inside of the first.
    scene.send(0x20, to: other.number)
    scene.send(0x30, to: other.number)
    scene.run(0x10, on: other)
    scene.run(0x20, on: other) { scene.run(0x30) }
    scene.run(0x40)
    scene.send(0x50, to: serial.number)
    let (text, records) = try scene.page()
    let script =
      Self.lanes + """
        const waits = byStart.filter((call) => isQueued(call)).length;
        return { seen, waits, all: deepestBetween(view.set.lanes[0].curve, -1, traceEnd + 1),
          visible: Number(state().visible) };
        """
    struct Answer: Decodable {
      let seen: [Lane]
      let waits: Int
      let all: Int
      let visible: Int
    }
    let page = try Browser().open(text, fragment: "lanes=queues", script: script)
    let answer = try page.answer(Answer.self)
    XCTAssertEqual(
      answer.seen.map(\.name), ["scene.serial", "scene.other", "com.apple.main-thread"])
    XCTAssertEqual(answer.seen.map(\.detail), ["serial", "concurrent", "serial"])
    XCTAssertEqual(answer.seen.map(\.covers), [0, 0, 0])
    // Of many that wait, so many have rows of their own; a delay is no wait.
    XCTAssertEqual(answer.seen.map { $0.bars.count }, [8, 3, 1])
    XCTAssertEqual(answer.seen.map(\.most), [20, 2, 0])
    // Tables say the same.
    XCTAssertEqual(answer.seen.map(\.most), answer.seen.map { scene.load($0.name)?.deepest ?? 0 })
    XCTAssertEqual(answer.all, 20)
    XCTAssertEqual(answer.waits, 20 + 2 + 1)
    XCTAssertEqual(answer.visible, 20 + 3 + 1 + 1)
    // The first eight begin where they were sent.
    let first = try XCTUnwrap(records.compactMap { $0.submission?.nanoseconds }.min())
    let sent = records.prefix(8).compactMap { $0.submission?.nanoseconds }.map { $0 - first }
    XCTAssertEqual(answer.seen[0].begins.compactMap(\.first).map(UInt64.init), sent)
    // The one that never ran is there, too.
    let pending = try XCTUnwrap(records.firstIndex { $0.outcome == .pending })
    XCTAssertTrue(answer.seen[0].bars.joined().contains(pending))
  }

  func testAWaitIsALighterPartOfItsBar() throws {
    let scene = try SubmissionScene(self)
    let queue = try scene.queue("scene.queue")
    scene.send(0x10, to: queue.number)
    usleep(3_000)
    scene.run(0x10, on: queue) { usleep(3_000) }
    let script = """
      const ratio = canvas.width / canvas.clientWidth;
      return [sentAt(0), start[0]].map((time) => [...canvas.getContext('2d').getImageData(
        (xOf(time) + 20) * ratio, (rowTop(view.set.lanes[0], 0) + 3) * ratio, 1, 1).data]);
      """
    let colours = try Browser().open(
      scene.page().text, fragment: "lanes=queues", script: script
    ).answer([[Int]].self)
    XCTAssertEqual(colours[1][3], 255)
    XCTAssertEqual(Double(colours[0][3]), 255 * 0.38, accuracy: 3)
  }

  func testTheCurveIsAsTallAsManyWait() throws {
    let scene = try SubmissionScene(self, capacity: 4 << 20)
    let queue = try scene.queue("scene.queue")
    scene.burst(700, to: queue)
    let script = """
      const { curve } = view.set.lanes[0];
      const slow = (from, to) => curve.times.reduce((most, time, index) =>
        time < to && (curve.times[index + 1] ?? Infinity) > from
          ? Math.max(most, curve.depths[index]) : most, 0);
      let wrong = 0;
      for (let part = 0; part < 300; part += 1) {
        const from = traceEnd * part / 300;
        for (const span of [1, traceEnd / 250, traceEnd / 3]) {
          wrong += slow(from, from + span) === deepestBetween(curve, from, from + span) ? 0 : 1;
        }
      }
      return [wrong, curve.most, curve.depths.at(-1), curve.peaks.length];
      """
    let answer = try Browser().open(
      scene.page().text, fragment: "lanes=queues", script: script
    ).answer([Int].self)
    XCTAssertEqual(answer, [0, 700, 0, 6])
  }

  func testTasksShowTheirPartsWithSuspensionsBetween() throws {
    let scene = try SubmissionScene(self)
    let queue = try scene.queue("scene.queue")
    scene.runTasks(on: queue)
    let (text, records) = try scene.page()
    let script =
      Self.lanes + """
        return { seen, ends: [...end], ready: [...start].map((_, call) => sentAt(call)),
          suspended: view.set.lanes[0].suspended };
        """
    struct Answer: Decodable {
      let seen: [Lane]
      let ends: [Double]
      let ready: [Double]
      let suspended: Double
    }
    let answer = try Browser().open(text, fragment: "lanes=tasks", script: script)
      .answer(Answer.self)
    XCTAssertEqual(answer.seen.map(\.name), ["seven", records[1].subject.title])
    XCTAssertEqual(answer.seen.map(\.detail), ["task 7 · utility", "task 8 · userInitiated"])
    XCTAssertEqual(answer.seen.map(\.bars), [[[0, 2, 3]], [[1]]])
    XCTAssertEqual(answer.seen.map(\.covers), [0, 0])
    // A bar begins where its task was suspended, the first where it was sent.
    XCTAssertEqual(answer.seen[0].begins, [[answer.ready[0], answer.ends[0], answer.ends[2]]])
    XCTAssertEqual(answer.seen[1].begins, [[answer.ready[1]]])
    XCTAssertEqual(
      answer.suspended, answer.ready[2] - answer.ends[0] + answer.ready[3] - answer.ends[2])
  }

  func testKeysButtonsAndTheAddressChooseLanesAndTables() throws {
    let scene = try SubmissionScene(self)
    let queue = try scene.queue("scene.queue")
    scene.burst(3, to: queue)
    scene.runTasks(on: queue)
    let (text, _) = try scene.page()
    let script = """
      const states = [];
      const note = async () => {
        await drawn();
        await drawn();
        const { lanes, table, queue, selected } = state();
        const pressed = [...document.querySelectorAll('[aria-pressed=true]')].map(({ id }) => id);
        states.push([lanes, table, queue, selected, location.hash, pressed.join(' ')]);
      };
      await note();
      key('2');
      await note();
      key('3');
      await note();
      document.getElementById('lanes-threads').click();
      document.getElementById('table-queues').click();
      await note();
      document.querySelector('#rows tr').click();
      select(1);
      await note();
      location.hash = '#lanes=queues&table=blocks&call=2';
      await note();
      location.hash = '#lanes=constructor&table=__proto__&queue=7&task=-1&sort=deepest';
      await note();
      return states;
      """
    let states = try Browser().open(text, script: script).answer([[String]].self)
    XCTAssertEqual(
      states,
      [
        ["threads", "blocks", "-1", "-1", "", "lanes-threads table-blocks"],
        ["queues", "queues", "-1", "-1", "#lanes=queues", "lanes-queues table-queues"],
        ["tasks", "tasks", "-1", "-1", "#lanes=tasks", "lanes-tasks table-tasks"],
        ["threads", "queues", "-1", "-1", "#table=queues", "lanes-threads table-queues"],
        [
          "threads", "queues", "0", "1", "#queue=0&call=1&table=queues",
          "lanes-threads table-queues",
        ],
        [
          "queues", "blocks", "-1", "2", "#call=2&lanes=queues&table=blocks",
          "lanes-queues table-blocks",
        ],
        ["threads", "blocks", "-1", "-1", "", "lanes-threads table-blocks"],
      ])
  }

  func testASearchHidesTheLanesWithoutAMatch() throws {
    let scene = try SubmissionScene(self)
    for label in ["scene.index", "scene.billing"] {
      scene.burst(3, to: try scene.queue(label))
    }
    let script = """
      const answers = [];
      for (const words of ['', 'billing', 'nothing at all', '']) {
        filter.search = words;
        filterChanged();
        await drawn();
        answers.push([view.contentHeight, ...view.set.shown.map(({ name }) => name)].join(' '));
      }
      return answers.map((text) => text.replace(/^[1-9]\\d*/, 'tall'));
      """
    let answer = try Browser().open(
      scene.page().text, fragment: "lanes=queues", script: script
    ).answer([String].self)
    let both = "tall scene.index scene.billing"
    XCTAssertEqual(answer, [both, "tall scene.billing", "0", both])
  }

  func testANameThatDoesNotFitKeepsItsEnd() throws {
    let scene = try SubmissionScene(self)
    let names = ["first", "second"].map { "com.example.server.connections.\($0)" }
    for name in names { scene.burst(1, to: try scene.queue(name)) }
    let script = """
      const text = CanvasRenderingContext2D.prototype.fillText;
      const drawnTexts = [];
      CanvasRenderingContext2D.prototype.fillText = function note(words, ...place) {
        drawnTexts.push(words);
        text.call(this, words, ...place);
      };
      draw();
      return drawnTexts.filter((words) => words.includes('…'));
      """
    let answer = try Browser().open(
      scene.page().text, fragment: "lanes=queues", script: script
    ).answer([String].self)
    for name in names {
      let shown = try XCTUnwrap(
        answer.first { $0.hasSuffix(String(name.suffix(6))) }, "\(answer)")
      let parts = shown.split(separator: "…").map(String.init)
      XCTAssertEqual(parts.count, 2, shown)
      XCTAssertTrue(name.hasPrefix(parts[0]) && name.hasSuffix(parts[1]), shown)
    }
  }

  func testAPageWithoutQueuesHasOnlyThreads() throws {
    let text = Recorder<String>()
    try ServerScene().run([HTMLTraceSink(TraceOutput(text.record))], callCount: 20)
    let script = """
      key('2');
      key('3');
      await drawn();
      return ['lanes-queues', 'lanes-tasks'].map((id) => document.getElementById(id).disabled);
      """
    let page = try Browser().open(
      written(text), fragment: "lanes=tasks&table=queues", script: script)
    XCTAssertEqual(try page.answer([Bool].self), [true, true])
    XCTAssertEqual(page.value("lanes"), "threads")
    XCTAssertNil(page.value("failure"))
  }

  func testWhatIsDrawnOfQueuesIsBoundedByPixels() throws {
    let scene = try SubmissionScene(self, capacity: 8 << 20)
    let queue = try scene.queue("scene.queue")
    var records: [TraceRecord] = []
    for _ in 0..<300 {
      scene.burst(100, to: queue)
      records += try scene.records()
    }
    let text = Recorder<String>()
    let sink = HTMLTraceSink(TraceOutput(text.record))
    sink.receive(records)
    sink.finish()
    let script = """
      let shapes = 0;
      for (const name of ['fillRect', 'strokeRect', 'fillText', 'lineTo', 'bezierCurveTo']) {
        const draw = CanvasRenderingContext2D.prototype[name];
        CanvasRenderingContext2D.prototype[name] = function count(...values) {
          shapes += 1;
          draw.apply(this, values);
        };
      }
      draw();
      const queues = shapes;
      chooseLanes('threads');
      shapes = 0;
      draw();
      return [queues, shapes];
      """
    let page = try Browser().open(written(text), fragment: "lanes=queues", script: script)
    XCTAssertEqual(page.number("calls"), 30_000)
    let shapes = try page.answer([Int].self)
    // Eight rows, in each pixel one bar of at most four shapes; a curve of two, and the overview.
    XCTAssertLessThan(shapes[0], 1_400 * (8 * 4 + 2 + 2))
    XCTAssertGreaterThan(shapes[0], 1_400)
    XCTAssertLessThan(shapes[1], 1_400 * (1 + 2))
  }
}
