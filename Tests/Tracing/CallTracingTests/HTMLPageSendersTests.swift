import BlockABI
import CallTracing
import Foundation
import XCTest

/// What a page tells of who sent blocks: arrows, details, and the tables of blocks and queues.
final class HTMLPageSendersTests: XCTestCase {
  func testArrowsGoFromWhereABlockWasSentToWhereItBegan() throws {
    let scene = try SubmissionScene(self)
    let queue = try scene.queue("scene.queue")
    for block in [UInt(0x10), 0x20, 0x30] { scene.send(block, to: queue.number) }
    for block in [UInt(0x10), 0x20, 0x30] {
      let ran = expectation(description: "it ran")
      // On another thread than the sender's.
      Thread.detachNewThread {
        scene.run(block, on: queue)
        ran.fulfill()
      }
      wait(for: [ran], timeout: 30)
    }
    scene.run(0x40)
    let (text, records) = try scene.page()
    let script = """
      await drawn();
      const arrows = [0, 1, 2, 3].map(arrowOf);
      const lanes = [0, 1, 2].map((call) => [
        Math.abs(arrows[call].x - xOf(sentAt(call))), Math.abs(arrows[call].toX - xOf(start[call])),
        calls.sender[call] === calls.lane[call] ? 1 : 0,
        Math.sign(arrows[call].toY - arrows[call].y),
      ]);
      const drawn1 = state().arrows;
      key('2');
      await drawn();
      return { lanes, none: arrows[3] === null, shown: drawn1, queues: state().arrows,
        sent: [0, 1, 2].map(sentAt) };
      """
    struct Answer: Decodable {
      let lanes: [[Double]]
      let none: Bool
      let shown: String
      let queues: String
      let sent: [Double]
    }
    let answer = try Browser().open(text, script: script).answer(Answer.self)
    // The sender is the main thread, in the first lane.
    XCTAssertEqual(answer.lanes, Array(repeating: [0, 0, 0, 1], count: 3))
    XCTAssertTrue(answer.none)
    XCTAssertEqual(answer.shown, "3")
    XCTAssertEqual(answer.queues, "0")
    let first = try XCTUnwrap(records.compactMap { $0.submission?.nanoseconds }.min())
    let sent = records.compactMap { $0.submission?.nanoseconds }.map { Double($0 - first) }
    XCTAssertEqual(answer.sent, sent)
  }

  func testBeyondTwoHundredCallsOnlyTheSelectedOneHasAnArrow() throws {
    let scene = try SubmissionScene(self)
    let queue = try scene.queue("scene.queue")
    scene.burst(201, to: queue)
    let script = """
      let curves = 0;
      const curve = CanvasRenderingContext2D.prototype.bezierCurveTo;
      CanvasRenderingContext2D.prototype.bezierCurveTo = function count(...values) {
        curves += 1;
        curve.apply(this, values);
      };
      const counts = [];
      for (const act of [() => {}, () => select(5), () => { view.hovered = 7; },
        () => show(0, start[150])]) {
        act();
        curves = 0;
        draw();
        counts.push([curves, Number(state().arrows)]);
      }
      return counts;
      """
    let counts = try Browser().open(scene.page().text, script: script).answer([[Int]].self)
    XCTAssertEqual(counts.prefix(3), [[0, 0], [1, 0], [2, 0]])
    XCTAssertGreaterThanOrEqual(counts[3][1], 150)
    XCTAssertEqual(counts[3][0], counts[3][1] + 2)
  }

  func testDetailsNameQueueSenderWaitAndTask() throws {
    let scene = try SubmissionScene(self)
    let target = try scene.queue("scene.target")
    let queue = try scene.queue("scene.queue", isSerial: false, target: target)
    scene.send(0x10, to: queue.number)
    scene.run(0x10, on: queue)
    scene.send(0x20, to: queue.number, by: .after)
    scene.run(0x20, on: queue)
    scene.runTasks(on: queue)
    scene.send(0x50, to: queue.number)
    let (text, records) = try scene.page()
    let script = """
      return [...byStart.keys()].map((call) => {
        select(call);
        const terms = [...document.querySelectorAll('#details dt')];
        return Object.fromEntries(terms.map((term) =>
          [term.textContent, term.nextSibling.textContent]));
      });
      """
    let details = try Browser().open(text, script: script).answer([[String: String]].self)
    XCTAssertEqual(details.count, records.count)
    XCTAssertEqual(details[0]["Queue"], "scene.queue (concurrent, runs on scene.target)")
    XCTAssertNil(details[0]["Sent to"])
    XCTAssertEqual(details[0]["Sent by"], "swift_demangle")
    XCTAssertEqual(details[0]["Sent"]?.hasPrefix("dispatch_async at 0 ns on "), true)
    XCTAssertEqual(details[0]["Sent"]?.hasSuffix("(\(records[0].thread))"), true)
    XCTAssertNotNil(details[0]["Waited"]?.firstMatch(of: /^[0-9.,]+ .s$/))
    XCTAssertEqual(details[1]["Waited"]?.hasSuffix(", as the program asked for"), true)
    XCTAssertEqual(details[2]["Task"], "7 · seven · utility")
    XCTAssertEqual(details[2]["Created by"], "swift_demangle")
    XCTAssertEqual(details[2]["Then it"], "awaited a task group")
    XCTAssertEqual(details[3]["Task"], "8 · userInitiated · child of 7 (seven)")
    let pending = try XCTUnwrap(records.firstIndex { $0.outcome == .pending })
    XCTAssertEqual(details[pending]["Outcome"], "pending")
    XCTAssertNil(details[pending]["Duration"])
    XCTAssertNotNil(details[pending]["Waited"])
  }

  func testDetailsLeadToTheCallThatABlockWaitedBehind() throws {
    let scene = try SubmissionScene(self)
    let queue = try scene.queue("scene.queue")
    let durations: [useconds_t] = [200, 9000, 200, 0]
    for block in durations.indices { scene.send(UInt(block + 1) << 4, to: queue.number) }
    for (block, duration) in durations.enumerated() {
      scene.run(UInt(block + 1) << 4, on: queue) { usleep(duration) }
    }
    let (text, records) = try scene.page()
    XCTAssertEqual(records.count, 4)
    let script = """
      const behind = () => [...document.querySelectorAll('#details dt')]
        .find((term) => term.textContent === 'Behind')?.nextSibling.firstChild;
      const found = [0, 1, 2, 3].map((call) => {
        select(call);
        behind()?.click();
        return view.selected;
      });
      return found;
      """
    // The first waited behind nothing, the others behind the longest before them.
    let selected = try Browser().open(text, script: script).answer([Int].self)
    XCTAssertEqual(selected, [0, 0, 1, 1])
  }

  /// The headings and the rows of the shown table.
  private static let table = """
    const cells = (row, name) => [...row.querySelectorAll(name)].map((cell) =>
      (cell.firstChild?.nodeType === 3 ? cell.firstChild : cell).textContent);
    const table = () => [cells(document.getElementById('columns'), 'th button'),
      ...[...document.querySelectorAll('#rows tr')].map((row) => cells(row, 'td'))];
    """

  func testTablesHaveWaitsAndThoseOfQueuesHowDeepTheyWere() throws {
    let scene = try SubmissionScene(self)
    let queues = try [scene.queue("scene.a"), scene.queue("scene.b", isSerial: false)]
    scene.burst(5, to: queues[0])
    scene.burst(2, to: queues[1])
    scene.send(0x10, to: queues[1].number)
    let (text, records) = try scene.page()
    let script =
      Self.table + """
        const blocks = table();
        key('2');
        await drawn();
        [...document.querySelectorAll('#columns button')]
          .find((button) => button.textContent === 'Deepest').click();
        const queues = table();
        const waits = ['scene.a', 'scene.b'].map((name) =>
          tables.queues.items.find((item) => item.name === name))
          .map(({ waitHalf, waitMax }) => [waitHalf, waitMax]);
        document.querySelector('#rows tr').click();
        await drawn();
        return { blocks, queues, waits, hits: Number(state().hits), hash: location.hash };
        """
    struct Answer: Decodable {
      let blocks: [[String]]
      let queues: [[String]]
      let waits: [[Double]]
      let hits: Int
    }
    let answer = try Browser().open(text, script: script).answer(Answer.self)
    XCTAssertEqual(
      answer.blocks.first,
      ["Block", "Calls", "Total", "Mean", "Max", "Wait p50", "Wait max", "Not run"])
    XCTAssertEqual(
      answer.queues.first,
      ["Queue", "Blocks", "Total", "Max", "Wait p50", "Wait max", "Deepest", "Not run"])
    XCTAssertEqual(
      answer.queues.dropFirst().map { [$0[0], $0[1], $0[6], $0[7]] },
      [["scene.a", "5", "5", "–"], ["scene.b", "2", "2", "1"]])
    XCTAssertEqual(answer.hits, 5)
    for (label, waits) in zip(["scene.a", "scene.b"], answer.waits) {
      let sorted = records.filter { $0.submission?.queue?.label == label }
        .compactMap(\.waitedNanoseconds).sorted()
      XCTAssertEqual(waits[0], Double(sorted[(sorted.count + 1) / 2 - 1]))
      XCTAssertEqual(waits[1], sorted.last.map { Double($0) })
    }
  }

  func testBlocksOfSeveralProcessesAreInOneTableWithAColumn() throws {
    let scene = try SubmissionScene(self)
    let queue = try scene.queue("scene.queue")
    scene.burst(2, to: queue)
    scene.send(0x10, to: queue.number, by: .sync)
    scene.run(0x10, on: queue)
    let (text, records) = try scene.page()
    let process = try XCTUnwrap(records.first?.process)
    let script = Self.table + "return table();"
    let alone = try Browser().open(text, script: script).answer([[String]].self)
    XCTAssertEqual(alone[0].prefix(2), ["Block", "Calls"])
    // As if the wait had been in another process.
    var names = text.replacingOccurrences(
      of: #""processes":[{"#, with: #""processes":[{"number":1,"name":"init"},{"#)
    names = names.replacingOccurrences(
      of: #"{"process":\#(process),"title":"dispatch_sync""#,
      with: #"{"process":1,"title":"dispatch_sync""#)
    let page = try Browser().open(names, fragment: "sort=process&order=ascending", script: script)
    let rows = try page.answer([[String]].self)
    XCTAssertEqual(rows[0].prefix(3), ["Block", "Process", "Calls"])
    XCTAssertEqual(rows.dropFirst().map { $0[1] }.first, "init 1")
    XCTAssertTrue(rows.last?[1].hasSuffix(" \(process)") ?? false, "\(rows)")
    XCTAssertTrue(page.content("summary")?.contains("2 processes") ?? false)
  }
}
