import BlockABI
import BlockHooks
import CallTracing
import DelayedBlocks
import Foundation
import Invocations
import TestSupport
import XCTest

final class HTMLPageBrowserTests: XCTestCase {
  /// The page of the server, and its calls.
  private func server(_ callCount: Int) throws -> (text: String, calls: [TracePageFile.Call]) {
    let text = Recorder<String>()
    try ServerScene().run(
      [HTMLTraceSink(TraceOutput(text.record), title: "Orders")], callCount: callCount)
    let page = try TracePageFile(written(text))
    return (page.text, try page.calls())
  }

  private func end(_ call: TracePageFile.Call) -> UInt64 { call.start + call.duration }

  func testThePageShowsEverythingAtFirst() throws {
    let browser = try Browser()
    let (text, calls) = try server(5_000)
    let page = try browser.open(text)
    XCTAssertNil(page.value("failure"))
    XCTAssertEqual(page.number("visible"), calls.count)
    XCTAssertEqual(page.number("calls"), calls.count)
    XCTAssertEqual(page.number("from"), 0)
    XCTAssertEqual(page.number("to"), calls.map(end).max().map(Int.init))
    XCTAssertEqual(page.content("title"), "Orders")
    XCTAssertTrue(page.content("summary")?.contains("5 blocks · 4 threads") ?? false)
    XCTAssertTrue(page.text.contains(#" id="notice" role="status" hidden"#))
  }

  func testTheTitleTellsTheCommandTheDateAndTheDuration() throws {
    let clock = ManualClock()
    let text = Recorder<String>()
    var options = TraceOptions()
    options.clock = clock
    let sink = HTMLTraceSink(
      TraceOutput(text.record), title: "./server --port 8080",
      wallClockAtZero: 1_764_306_215_000_000_000)
    let tracer = Tracer(sink, options: options)
    let body: @convention(block) () -> Void = { clock.advance(by: .milliseconds(2500)) }
    let block = try Block(body)
    try block.install(.tracing(with: tracer))
    try block.call()
    tracer.close()
    let answer = try Browser().open(
      written(text), script: "return [document.title, element('summary').textContent];"
    ).answer([String].self)
    XCTAssertEqual(answer[0], "./server --port 8080 · 2025-11-28 05:03:35 UTC · 2.50 s")
    XCTAssertTrue(answer[1].hasSuffix(" · 2025-11-28 05:03:35 UTC · 2.50 s"), answer[1])
  }

  func testTheAddressChoosesSpanSearchAndCall() throws {
    let browser = try Browser()
    let (text, calls) = try server(2_000)
    let (from, to): (UInt64, UInt64) = (3_000_000, 9_000_000)
    let hits = calls.filter { call in
      call.arguments.contains { $0.contains("customer = 1") } || call.error?.contains("1") == true
        || call.result?.contains("customer = 1") == true
    }
    let found = calls.filter { $0.arguments.contains { $0.contains("customer = 1") } }
    XCTAssertGreaterThan(found.count, 10)
    let page = try browser.open(
      text, fragment: "from=\(from)&to=\(to)&search=CUSTOMER%20%3D%201&call=17&sort=calls")
    XCTAssertGreaterThanOrEqual(hits.count, found.count)
    XCTAssertEqual(page.number("hits"), found.count)
    XCTAssertEqual(
      page.number("visible"), found.filter { end($0) >= from && $0.start <= to }.count)
    XCTAssertEqual(page.number("from"), Int(from))
    XCTAssertEqual(page.number("to"), Int(to))
    XCTAssertEqual(page.number("selected"), 17)
    XCTAssertTrue(page.content("hits")?.hasPrefix("\(found.count) of ") ?? false)
    XCTAssertTrue(page.text.contains(#"<th scope="col" aria-sort="descending"><button>Calls"#))
  }

  func testAnAddressOfNonsenseShowsEverything() throws {
    let browser = try Browser()
    let (text, calls) = try server(50)
    let page = try browser.open(
      text, fragment: "from=NaN&to=-5e400&call=1e9&block=-7&sort=constructor&search=%E0%A4%A&%")
    XCTAssertNil(page.value("failure"))
    XCTAssertEqual(page.number("selected"), -1)
    XCTAssertEqual(page.number("block"), -1)
    XCTAssertEqual(page.number("calls"), calls.count)
    XCTAssertEqual(page.number("hits"), 0)
  }

  func testKeysZoomMoveAndFit() throws {
    let (text, _) = try server(300)
    let script = """
      const states = [state()];
      for (const name of ['+', '+', 'ArrowRight', 'ArrowLeft', '-', '0']) {
        key(name);
        await drawn();
        states.push(state());
      }
      return states.map(({ from, to }) => [Number(from), Number(to)]);
      """
    let spans = try Browser().open(text, script: script).answer([[Double]].self)
    XCTAssertEqual(spans.count, 7)
    let all = try XCTUnwrap(spans.first)
    let width = spans.map { $0[1] - $0[0] }
    XCTAssertEqual(width[1], width[0] / 2, accuracy: 2)
    XCTAssertEqual(width[2], width[0] / 4, accuracy: 2)
    XCTAssertEqual(spans[3][0] - spans[2][0], width[2] / 5, accuracy: 2)
    XCTAssertEqual(spans[4], spans[2])
    XCTAssertEqual(width[5], width[1], accuracy: 2)
    XCTAssertEqual(spans[6], all)
  }

  func testTheWheelZoomsAtThePointerAndDraggingMoves() throws {
    let (text, _) = try server(300)
    let script = """
      const canvas = document.getElementById('lanes');
      const box = canvas.getBoundingClientRect();
      const at = (x, more = {}) =>
        ({ clientX: box.left + x, clientY: box.top + 60, bubbles: true, pointerId: 1, ...more });
      canvas.setPointerCapture = () => {};
      const states = [];
      const note = async () => { await drawn(); states.push([timeAt(400), view.from, view.to]); };
      await note();
      canvas.dispatchEvent(new WheelEvent('wheel', at(400, { deltaY: -480, cancelable: true })));
      await note();
      canvas.dispatchEvent(new PointerEvent('pointerdown', at(400)));
      canvas.dispatchEvent(new PointerEvent('pointermove', at(350)));
      canvas.dispatchEvent(new PointerEvent('pointerup', at(350)));
      await note();
      canvas.dispatchEvent(new MouseEvent('dblclick', at(2)));
      await note();
      return states;
      """
    let states = try Browser().open(text, script: script).answer([[Double]].self)
    XCTAssertEqual(states.count, 4)
    let span = states.map { $0[2] - $0[1] }
    XCTAssertEqual(states[1][0], states[0][0], accuracy: span[0] / 1_000)
    XCTAssertEqual(span[1], span[0] / 4, accuracy: 2)
    XCTAssertEqual(span[2], span[1], accuracy: 2)
    // The plot is what the heads of the threads leave.
    let pixel = span[1] / (1400 - 16 * 2 - 2 - 184)
    XCTAssertEqual(states[2][1] - states[1][1], 50 * pixel, accuracy: 2 * pixel)
    XCTAssertEqual(span[3], span[0])
  }

  func testAClickSelectsTheCallThatIsThere() throws {
    let (text, calls) = try server(60)
    // The call with the longest time is easy to hit.
    let longest = try XCTUnwrap(calls.indices.max { calls[$0].duration < calls[$1].duration })
    let script = """
      const canvas = document.getElementById('lanes');
      canvas.setPointerCapture = () => {};
      const box = canvas.getBoundingClientRect();
      const call = \(longest);
      const place = {
        clientX: box.left + xOf((start[call] + end[call]) / 2), bubbles: true,
        clientY: box.top + rowTop(view.set.lanes[calls.lane[call]], depthOf(call)) + 6,
      };
      canvas.dispatchEvent(new PointerEvent('pointermove', place));
      const tip = document.getElementById('tip').textContent;
      canvas.dispatchEvent(new PointerEvent('pointerdown', place));
      canvas.dispatchEvent(new PointerEvent('pointerup', place));
      await drawn();
      return [state().selected, tip, document.getElementById('details').textContent];
      """
    let answer = try Browser().open(text, script: script).answer([String].self)
    XCTAssertEqual(answer.first, "\(longest)")
    XCTAssertEqual(calls[longest].depth, 0)
    for text in [answer[1], answer[2]] {
      XCTAssertTrue(text.contains(try XCTUnwrap(calls[longest].arguments.first)), text)
      XCTAssertTrue(text.contains("returned"), text)
      XCTAssertTrue(text.contains("ServerScene.handleRequest › closure #1"), text)
    }
  }

  func testARowOfTheTableFiltersAndAHeadingSorts() throws {
    let (text, calls) = try server(500)
    let script = """
      const names = () => [...document.querySelectorAll('#rows tr')]
        .map((row) => Number(row.dataset.block));
      const sorted = [names()];
      for (const title of ['Calls', 'Calls', 'Max']) {
        [...document.querySelectorAll('#columns button')]
          .find((button) => button.textContent === title).click();
        sorted.push(names());
      }
      document.querySelector('#rows tr').click();
      await drawn();
      const filtered = state();
      document.querySelector('#rows tr').click();
      await drawn();
      return { sorted, block: Number(filtered.block), hits: Number(filtered.hits),
        after: Number(state().hits) };
      """
    struct Answer: Decodable {
      let sorted: [[Int]]
      let block: Int
      let hits: Int
      let after: Int
    }
    let answer = try Browser().open(text, script: script).answer(Answer.self)
    // Subjects are numbered as they came.
    var titles: [String] = []
    for call in calls where !titles.contains(call.title) { titles.append(call.title) }
    let groups = titles.map { title in calls.filter { $0.title == title } }
    func order(_ value: ([TracePageFile.Call]) -> UInt64) -> [Int] {
      groups.indices.sorted { value(groups[$0]) > value(groups[$1]) }
    }
    let total = { (calls: [TracePageFile.Call]) in calls.reduce(0) { $0 + $1.duration } }
    let largest = { (calls: [TracePageFile.Call]) in calls.map(\.duration).max() ?? 0 }
    XCTAssertEqual(answer.sorted[0], order(total))
    XCTAssertEqual(answer.sorted[1].map { groups[$0].count }, groups.map(\.count).sorted(by: >))
    XCTAssertEqual(answer.sorted[2].map { groups[$0].count }, groups.map(\.count).sorted())
    XCTAssertEqual(answer.sorted[3], order(largest))
    XCTAssertEqual(answer.block, order(largest)[0])
    XCTAssertEqual(answer.hits, groups[order(largest)[0]].count)
    XCTAssertEqual(answer.after, calls.count)
  }

  func testSearchingStepsThroughTheMatchesInTheOrderOfTime() throws {
    let (text, calls) = try server(3_000)
    let failed = calls.indices.filter { calls[$0].error != nil }
    XCTAssertGreaterThan(failed.count, 2)
    let script = """
      const box = document.getElementById('search');
      box.value = 'disk quota';
      box.dispatchEvent(new Event('input'));
      const seen = [];
      for (let round = 0; round < 3; round += 1) {
        box.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
        await drawn();
        const { selected, from, to } = state();
        seen.push([Number(selected), start[selected] >= from && end[selected] <= to ? 1 : 0]);
      }
      key('Escape');
      await drawn();
      return { seen, hits: Number(state().hits), hash: location.hash };
      """
    struct Answer: Decodable {
      let seen: [[Int]]
      let hits: Int
    }
    let answer = try Browser().open(text, script: script).answer(Answer.self)
    let order = failed.sorted { calls[$0].start < calls[$1].start }
    XCTAssertEqual(answer.seen, order.prefix(3).map { [$0, 1] })
    XCTAssertEqual(answer.hits, calls.count)
  }

  func testTheAddressFollowsTheReader() throws {
    let (text, _) = try server(100)
    let script = """
      key('+');
      document.querySelector('#rows tr').click();
      await drawn();
      await drawn();
      return location.hash;
      """
    let page = try Browser().open(text, script: script)
    let hash = try page.answer(String.self)
    XCTAssertEqual(
      hash,
      "#from=\(page.number("from") ?? 0)&to=\(page.number("to") ?? 0)&block="
        + "\(page.number("block") ?? -1)")
    XCTAssertGreaterThan(page.number("from") ?? 0, 0)
  }

  func testHostileTextsAreShownAsText() throws {
    let hostile = "</script><script>document.title='taken'</script><img src=x onerror=alert(1)>"
    let text = Recorder<String>()
    let tracer = Tracer(HTMLTraceSink(TraceOutput(text.record), title: hostile))
    let echo = try Block(signature: "v@?r*r*") { _ in }
    try echo.install(.tracing(with: tracer))
    // SAFETY: the text lives while the block is called.
    unsafe hostile.withCString { pointer in
      let argument = CValue.pointer(UInt(bitPattern: pointer))
      _ = try? echo.call(values: [argument, argument])
    }
    tracer.close()
    let page = try Browser().open(
      written(text), fragment: "call=0", script: "return document.title;")
    XCTAssertTrue(try page.answer(String.self).hasPrefix("\(hostile) · "))  // and how long it is
    XCTAssertEqual(page.number("visible"), 1)
    let body = try XCTUnwrap(page.text.range(of: "<body"))
    XCTAssertFalse(page.text[body.lowerBound...].contains("<img"))
    XCTAssertTrue(page.text.contains("<li>\"&lt;/script&gt;&lt;script&gt;document.title="))
  }

  func testAPageWithoutCallsSaysSo() throws {
    let (text, calls) = try server(0)
    XCTAssertEqual(calls, [])
    let page = try Browser().open(
      text, fragment: "search=a&call=0&block=0",
      script: "for (const name of ['+', '-', 'ArrowLeft', '0', 'n']) key(name); await drawn();")
    XCTAssertNil(page.value("failure"))
    XCTAssertEqual(page.number("visible"), 0)
    XCTAssertTrue(page.text.contains(#"<p id="empty">No calls were recorded.</p>"#))
    XCTAssertEqual(page.content("summary"), "0 calls · 0 blocks · 0 threads")
  }

  func testACallThatTookNoTimeIsSeen() throws {
    let text = Recorder<String>()
    var options = TraceOptions()
    options.clock = ReadingClock { 77 }
    let tracer = Tracer(HTMLTraceSink(TraceOutput(text.record)), options: options)
    let work: @convention(block) () -> Void = {}
    try Block(work).install(.tracing(with: tracer))
    work()
    tracer.close()
    let page = try Browser().open(
      written(text), script: "return callAt(gutter, rowTop(view.set.lanes[0], 0));")
    XCTAssertEqual(page.number("visible"), 1)
    XCTAssertEqual(try page.answer(Int.self), 0)
  }

  func testALongCallAfterManyShortOnesIsDrawn() throws {
    let text = Recorder<String>()
    let clock = ManualClock()
    var options = TraceOptions()
    options.clock = clock
    let tracer = Tracer(HTMLTraceSink(TraceOutput(text.record)), options: options)
    let work: @convention(block) (Int) -> Void = { clock.advance(by: .nanoseconds($0)) }
    try Block(work).install(.tracing(with: tracer))
    for _ in 0..<100 { work(10) }
    work(1_000_000)
    for _ in 0..<100 { work(10) }
    work(1_000_000)
    tracer.close()
    // How opaque the row is in the middle of each of the long calls.
    let script = """
      const ratio = canvas.width / canvas.clientWidth;
      return [500000, 1500000].map((time) => canvas.getContext('2d').getImageData(
        (xOf(time) + 20) * ratio, (rowTop(view.set.lanes[0], 0) + 3) * ratio, 1, 1).data[3]);
      """
    let page = try Browser().open(written(text), script: script)
    XCTAssertEqual(try page.answer([Int].self), [255, 255])
  }

  func testTimesHaveThreeDigits() throws {
    let (text, _) = try server(0)
    let script = """
      return [0, 7, 999, 1000, 12345, 999499, 999600, 1e6, 59.96e9, 6e12].map(formatTime);
      """
    let page = try Browser().open(text, script: script)
    XCTAssertEqual(
      try page.answer([String].self),
      [
        "0 ns", "7 ns", "999 ns", "1.00 µs", "12.3 µs", "999 µs", "1.00 ms", "1.00 ms", "60.0 s",
        "6,000 s",
      ])
  }

  func testTheLimitIsSaid() throws {
    let text = Recorder<String>()
    let sink = HTMLTraceSink(TraceOutput(text.record), callLimit: 10)
    try ServerScene().run([sink], callCount: 1_500)
    let page = try Browser().open(written(text))
    XCTAssertEqual(page.number("visible"), 10)
    let notice = try XCTUnwrap(page.content("notice"))
    XCTAssertTrue(notice.hasPrefix("1,4") || notice.hasPrefix("1,5"), notice)
    XCTAssertTrue(notice.contains("later calls beyond the page's limit"), notice)
    XCTAssertFalse(page.text.contains(#" id="notice" role="status" hidden"#))
  }

  func testTwoHundredThousandCallsAreDrawn() throws {
    let browser = try Browser()
    let (text, calls) = try server(200_000)
    let script = """
      let rectangles = 0;
      const fill = CanvasRenderingContext2D.prototype.fillRect;
      CanvasRenderingContext2D.prototype.fillRect = function count(...box) {
        rectangles += 1;
        fill.apply(this, box);
      };
      draw();
      return rectangles;
      """
    let page = try browser.open(text, script: script)
    XCTAssertEqual(page.number("visible"), calls.count)
    // Rows times pixels bound what is drawn, not calls.
    XCTAssertLessThan(try page.answer(Int.self), 13 * 1_400 + 3 * 1_400)
    XCTAssertGreaterThan(try page.answer(Int.self), 1_400)
  }
}
