import BlockHooks
import CallRecording
import Foundation
import Invocations
import MessageForwarding
import TestSupport
import XCTest

/// Recordings that answer messages: test doubles of methods.
final class AnsweredMethodTests: XCTestCase {
  private struct Storm: Error {}
  private enum Flood: Error { case high }

  struct Place: Equatable {
    var name: String
    var height: Int
  }

  class Weather: MessageReceiver, @unchecked Sendable {
    let calls: Recorder<String>
    init(_ calls: Recorder<String> = Recorder()) { self.calls = calls }

    func degrees(_ city: String) throws -> Double {
      calls.record("degrees \(city)")
      switch city {
      case "": throw Storm()
      case "Venice": throw Flood.high
      case "Atlantis": throw CocoaError(.fileNoSuchFile)
      default: break
      }
      return Double(city.count) + Double(calls.entries.count) / 10
    }
    func title(_ number: Int) -> String {
      calls.record("title \(number)")
      return "no. \(number)"
    }
    func warmest(_ places: [Place]) -> Place? {
      calls.record("warmest \(places.count)")
      return places.first
    }
    func load(_ city: String) async throws -> String {
      calls.record("load \(city)")
      await Task.yield()
      if city.isEmpty { throw Storm() }
      return city.uppercased()
    }
    func clear(_ city: String?) async { calls.record("clear \(city ?? "nothing")") }
    func nickname(_ city: String?) -> String? {
      calls.record("nickname")
      return city.map { "\($0)y" }
    }
    func each(_ number: Int) { calls.record("each \(number)") }

    class var methods: MethodTable {
      MethodTable(Weather.self) {
        Method("degrees:", Weather.degrees)
        Method("title:", Weather.title)
        Method("warmest:", Weather.warmest)
        Method("load:", Weather.load)
        Method("clear:", Weather.clear)
        Method("nickname:", Weather.nickname)
        Method("each:", Weather.each)
      }
    }
  }

  override func tearDown() {
    Weather.everyMessage.removeHooks()
    for selector: Selector in [
      "degrees:", "title:", "warmest:", "load:", "clear:", "nickname:", "each:",
    ] {
      Weather.target(selector).removeHooks()
    }
  }

  /// A recording of what a body does, read from the file.
  private func recording(
    _ target: some HookTarget, codec: RecordingCodec? = nil, _ body: () throws -> Void
  ) throws -> Recording {
    try withTemporaryFile { path in
      let recorder = try CallRecorder(path: path)
      let hook = try target.install(.recording(to: recorder, codec: codec))
      try body()
      hook.remove()
      try recorder.close()
      return try Recording(path: path)
    }
  }

  private func awaitedRecording(
    _ target: some HookTarget, _ body: () async throws -> Void
  ) async throws -> Recording {
    let path = NSTemporaryDirectory() + "recording-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let recorder = try CallRecorder(path: path)
    let hook = try target.install(.recording(to: recorder))
    try await body()
    hook.remove()
    try recorder.close()
    return try Recording(path: path)
  }

  func testAMethodIsAnsweredForAnyReceiverByTextAndNumbers() throws {
    let calls = Recorder<String>()
    let weather = Weather(calls)
    let recording = try self.recording(Weather.target("degrees:")) {
      for city in ["Rome", "Oslo", "Rome"] { _ = try weather.send("degrees:", city) as Double }
    }
    XCTAssertTrue(
      recording.calls[0].description.hasSuffix("\"Rome\") = 4.1"), "\(recording.calls[0])")
    _ = calls.take()
    let other = Weather(calls)
    let double = try other.target("degrees:").install(.answering(from: recording))
    for (city, degrees) in [("Oslo", 4.2), ("Rome", 4.1), ("Rome", 4.3)] {
      XCTAssertEqual(try other.send("degrees:", city) as Double, degrees)
    }
    XCTAssertEqual(calls.entries, [])
    // Where the sender receives errors, it receives this one.
    for city in ["Rome", "Paris"] {
      XCTAssertThrowsError(try other.send("degrees:", city) as Double) { error in
        let error = (error as? MessageError)?.underlyingError as? RecordingError
        XCTAssertEqual(error?.code, .unrecordedCall)
        XCTAssertTrue(error?.message.contains(city) ?? false, "\(error as Any)")
      }
    }
    XCTAssertEqual(double.handle.unrecordedCount, 2)
    XCTAssertEqual(calls.entries, [])
    XCTAssertEqual(try weather.send("degrees:", "Paris") as Double, 5.1)
  }

  func testACallThatThrewIsRecordedAndThrowsAgain() throws {
    let calls = Recorder<String>()
    let weather = Weather(calls)
    let cities = ["", "Venice", "Atlantis"]
    let recording = try self.recording(Weather.target("degrees:")) {
      for city in cities { XCTAssertThrowsError(try weather.send("degrees:", city) as Double) }
    }
    let errors = recording.calls.compactMap(\.error)
    let tests = "CallRecordingTests.AnsweredMethodTests"
    XCTAssertEqual(recording.calls.map(\.result), [nil, nil, nil])
    XCTAssertEqual(
      errors.map(\.typeName),
      ["\(tests).Storm", "\(tests).Flood", _typeName(CocoaError.self, qualified: true)])
    XCTAssertEqual(errors.map(\.text), ["Storm()", "high", "\(CocoaError(.fileNoSuchFile))"])
    let text = "\(recording.calls[1])"
    XCTAssertTrue(text.hasSuffix("\"Venice\") threw high"), text)
    XCTAssertEqual(calls.take().count, 3)

    func thrown(_ city: String) -> (any Error)? {
      do {
        _ = try weather.send("degrees:", city) as Double
        return nil
      } catch { return error.underlyingError }
    }
    let double = try Weather.target("degrees:").install(.answering(from: recording))
    XCTAssertEqual(cities.map { thrown($0) as? RecordedError }, errors)
    XCTAssertTrue(thrown("") is RecordingError)
    double.hook.remove()
    // Code that catches its own types gets them.
    let own = recording.throwing { $0.typeName.hasSuffix(".Storm") ? Storm() : nil }
    try Weather.target("degrees:").install(.answering(from: own))
    XCTAssertTrue(thrown("") is Storm)
    XCTAssertEqual(thrown("Venice") as? RecordedError, errors[1])
    XCTAssertEqual(calls.entries, [])
  }

  func testAnAsyncMethodThatThrewThrowsErrorsOfItsOwnType() async throws {
    let weather = Weather()
    let recording = try await awaitedRecording(Weather.target("load:")) {
      do { _ = try await weather.send(async: "load:", "") as String } catch {}
    }
    let own = recording.throwing { _ in Storm() }
    try Weather.target("load:").install(.answering(from: own, repeating: true))
    for _ in 0..<2 {
      do {
        _ = try await weather.send(async: "load:", "") as String
        XCTFail("it was answered")
      } catch { XCTAssertTrue(error.underlyingError is Storm, "\(error)") }
    }
  }

  func testTextIsAResult() throws {
    let calls = Recorder<String>()
    let weather = Weather(calls)
    let recording = try self.recording(weather.target("title:")) {
      XCTAssertEqual(try weather.send("title:", 3) as String, "no. 3")
    }
    _ = calls.take()
    try Weather.target("title:").install(.answering(from: recording, repeating: true))
    for _ in 0..<2 { XCTAssertEqual(try weather.send("title:", 3) as String, "no. 3") }
    XCTAssertEqual(calls.entries, [])
  }

  func testOptionalTextIsComparedAndReturned() throws {
    let calls = Recorder<String>()
    let weather = Weather(calls)
    let recording = try self.recording(Weather.target("nickname:")) {
      for city in [nil, "Rome"] { _ = try weather.send("nickname:", city) as String? }
    }
    _ = calls.take()
    try Weather.target("nickname:").install(.answering(from: recording, repeating: true))
    XCTAssertThrowsError(try weather.send("nickname:", "Oslo" as String?) as String?)
    XCTAssertEqual(try weather.send("nickname:", "Rome" as String?) as String?, "Romey")
    XCTAssertNil(try weather.send("nickname:", String?.none) as String?)
    XCTAssertEqual(calls.entries, [])
  }

  func testSwiftValuesNeedACodecThatSeesThem() throws {
    let codec = RecordingCodec(
      encode: { index, value in
        guard case .object(let object?) = value else { return nil }
        // The receiver is another one in each call.
        if index == 0 { return "\(ObjectIdentifier(object))".utf8.map { $0 } }
        if index == 2, let places = object as? [Place] { return places.map { UInt8($0.height) } }
        return (object as? Place?).map { [UInt8($0?.height ?? 0)] }
      },
      decode: { _, bytes in .object(Place(name: "decoded", height: Int(bytes[0])) as AnyObject) })
    let weather = Weather()
    let (high, low) = (Place(name: "high", height: 9), Place(name: "low", height: 1))
    func send() throws {
      XCTAssertEqual(try weather.send("warmest:", [high, low]) as Place?, high)
    }
    let described = try recording(Weather.target("warmest:"), send)
    expectError(.notReplayable, "described") {
      try Weather.target("warmest:").install(.answering(from: described))
    }
    let recording = try self.recording(Weather.target("warmest:"), codec: codec, send)
    try Weather.target("warmest:").install(.answering(from: recording, codec: codec))
    XCTAssertThrowsError(try weather.send("warmest:", [low, high]) as Place?)
    XCTAssertEqual(
      try Weather().send("warmest:", [high, low]) as Place?, Place(name: "decoded", height: 9))
  }

  func testAnAsyncMethodIsRecordedWhenItsAnswerIsThereAndAnsweredAtOnce() async throws {
    let calls = Recorder<String>()
    let weather = Weather(calls)
    let recording = try await awaitedRecording(Weather.target("load:")) {
      _ = try weather.send("load:", "unawaited", returning: AsyncAnswer<String>.self)
      let (one, two): (String, String) = (
        try await weather.send(async: "load:", "Rome"),
        try await weather.send(async: "load:", "Oslo")
      )
      XCTAssertEqual([one, two], ["ROME", "OSLO"])
      do { _ = try await weather.send(async: "load:", "") as String } catch {}
    }
    XCTAssertEqual(recording.calls.map(\.error?.text), [nil, nil, "Storm()"])
    XCTAssertEqual(recording.droppedCount, 0)
    _ = calls.take()
    try Weather.target("load:").install(.answering(from: recording))
    do {
      _ = try await weather.send(async: "load:", "") as String
      XCTFail("it was answered")
    } catch { XCTAssertEqual(error.underlyingError as? RecordedError, recording.calls[2].error) }
    let oslo: String = try await weather.send(async: "load:", "Oslo")
    let rome: String = try await weather.send(async: "load:", "Rome")
    XCTAssertEqual([oslo, rome], ["OSLO", "ROME"])
    do {
      _ = try await weather.send(async: "load:", "Rome") as String
      XCTFail("it was answered")
    } catch { XCTAssertEqual((error.underlyingError as? RecordingError)?.code, .unrecordedCall) }
    XCTAssertEqual(calls.entries, [])
  }

  func testAnAsyncMethodWithoutAResultIsAnswered() async throws {
    let calls = Recorder<String>()
    let weather = Weather(calls)
    let recording = try await awaitedRecording(Weather.target("clear:")) {
      let _: Void = try await weather.send(async: "clear:", "Rome" as String?)
    }
    XCTAssertEqual(calls.take(), ["clear Rome"])
    let double = try Weather.target("clear:").install(.answering(from: recording))
    let _: Void = try await weather.send(async: "clear:", "Rome" as String?)
    XCTAssertEqual(calls.entries, [])
    XCTAssertEqual(double.handle.unusedCalls.count, 0)
  }

  func testEveryMessageIsAnsweredByTheCallsOfItsName() throws {
    let calls = Recorder<String>()
    let weather = Weather(calls)
    func send() throws -> [String] {
      try weather.send("each:", 1)
      let degrees: Double = try weather.send("degrees:", "Rome")
      let title: String = try weather.send("title:", 3)
      return ["\(degrees)", title]
    }
    var answers: [String] = []
    let recording = try self.recording(Weather.everyMessage) { answers = try send() }
    _ = calls.take()
    let double = try Weather.everyMessage.install(.answering(from: recording))
    XCTAssertEqual(double.handle.unusedCalls.map(\.number), [1, 2, 3])
    XCTAssertEqual(try send(), answers)
    XCTAssertEqual(double.handle.unusedCalls.count, 0)
    XCTAssertThrowsError(try weather.send("each:", 2))
    XCTAssertEqual(double.handle.unrecordedCount, 1)
    XCTAssertEqual(calls.entries, [])
    XCTAssertTrue(double.hook.remove())
    XCTAssertEqual(Weather.everyMessage.hooks.count, 0)
  }

  /// A call that fails is answered within its hook's chain: outer hooks may answer in its place.
  func testOuterHooksSeeTheErrorOfAnUnrecordedCall() throws {
    let weather = Weather()
    let recording = try self.recording(Weather.target("title:")) {
      _ = try weather.send("title:", 3) as String
    }
    try Weather.target("title:").install(.answering(from: recording))
    try Weather.target("title:").hook { call in
      try call.proceed()
      if call.error is RecordingError { try call.setResult("none") }
    }
    XCTAssertEqual(try weather.send("title:", 4) as String, "none")
    XCTAssertEqual(try weather.send("title:", 3) as String, "no. 3")
  }
}
