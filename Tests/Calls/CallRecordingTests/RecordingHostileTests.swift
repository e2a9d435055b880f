import BlockABI
import BlockHooks
import CFixtures
import CallRecording
import Foundation
import Invocations
import TestSupport
import TypeEncodings
import XCTest

/// Files that were cut, changed or made to do harm: each gives an error or is read.
final class RecordingHostileTests: XCTestCase {
  private func sample() throws -> [UInt8] {
    let block = try Block(signature: "{R=i*[2s]}@?i*{Q=dB}(U=if)@{B=b0i3b3I20}T") { call in
      try call.setResultValue(.structure([1, "text", .array([1, 2])]))
    }
    return try recordedBytes(of: block, as: "sample") { block in
      for value in [1, 2] as [CValue] {
        _ = try block.call(values: [
          value, "argument", .structure([2.5, true]), .bytes([1, 2, 3, 4]), .object(nil),
          .structure([-1, 5]), 7,
        ])
      }
    }
  }

  /// A recording of the given bodies.
  private func file(_ bodies: [[UInt8]], version: UInt8 = 2) -> [UInt8] {
    var bytes: [UInt8] = [0x89, 0x42, 0x4C, 0x4B, 0x52, 0x0D, 0x0A, 0x0A, version, 0, 0, 0]
    for body in bodies { bytes += word(body.count) + word(checksum(body)) + body }
    return bytes
  }

  private func word(_ value: some BinaryInteger) -> [UInt8] {
    let value = UInt32(truncatingIfNeeded: value)
    return (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
  }

  private func checksum(_ bytes: [UInt8]) -> UInt32 {
    var rest = UInt32.max
    for byte in bytes {
      rest ^= UInt32(byte)
      for _ in 0..<8 { rest = rest & 1 == 0 ? rest >> 1 : rest >> 1 ^ 0xEDB8_8320 }
    }
    return ~rest
  }

  private func subject(_ signature: String, name: String = "n") -> [UInt8] {
    [1, 0] + word(name.utf8.count) + Array(name.utf8) + word(signature.utf8.count)
      + Array(signature.utf8)
  }

  private func call(_ values: [UInt8], subject: UInt32 = 0, hasResult: UInt8 = 0) -> [UInt8] {
    [2] + word(subject) + [1, 0, 0, 0, 0, 0, 0, 0, hasResult] + values
  }

  /// What a call of a subject with one `i` has that threw.
  private func thrown(_ text: [UInt8] = Array("late".utf8)) -> [UInt8] {
    [1, 0, 0, 0] + word(1) + [84] + word(text.count) + text
  }

  /// The bodies of the records of a file.
  private func bodies(of bytes: [UInt8]) -> [[UInt8]] {
    var bodies: [[UInt8]] = []
    var place = 12
    while place < bytes.count {
      let length = (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
      bodies.append(Array(bytes[(place + 8)..<(place + 8 + length)]))
      place += 8 + length
    }
    return bodies
  }

  func testEveryTruncationIsAnErrorOrEndsBetweenRecords() throws {
    let bytes = try sample()
    XCTAssertEqual(try Recording(bytes: bytes).calls.count, 2)
    XCTAssertEqual(file(bodies(of: bytes)), bytes)
    var ends: Set<Int> = [12]
    for body in bodies(of: bytes) { ends.insert((ends.max() ?? 0) + 8 + body.count) }
    for count in bytes.indices {
      let part = Array(bytes.prefix(count))
      if ends.contains(count) {
        XCTAssertFalse(try Recording(bytes: part).isComplete)
      } else {
        expectError(.truncated) { _ = try Recording(bytes: part) }
      }
      let recording = try Recording(bytes: part, allowsTruncation: true)
      XCTAssertLessThanOrEqual(recording.calls.count, 2)
      XCTAssertFalse(recording.isComplete)
    }
  }

  func testControlCharactersOfAFileReachNoTerminal() throws {
    let block = try Block(signature: "v@?i") { _ in }
    let bytes = try recordedBytes(of: block, as: "a\u{1B}[2Jb\nc") { block in
      try block.call(1)
    }
    let call = try XCTUnwrap(Recording(bytes: bytes).calls.first)
    XCTAssertEqual("\(call)", "a [2Jb c(1)")
    XCTAssertEqual(call.subject.name, "a\u{1B}[2Jb\nc")
  }

  func testEveryChangedByteIsNoticed() throws {
    let bytes = try sample()
    for place in bytes.indices {
      for change in [1, 0x80, 0xFF] as [UInt8] {
        var changed = bytes
        changed[place] ^= change
        XCTAssertThrowsError(try Recording(bytes: changed), "byte \(place)") { error in
          XCTAssertTrue(error is RecordingError)
        }
      }
    }
  }

  func testThousandsOfMutatedFilesAreRefusedOrReadAndReplayed() throws {
    let original = bodies(of: try sample())
    let target = try Block(signature: "{R=i*[2s]}@?i*{Q=dB}(U=if)@{B=b0i3b3I20}T") { call in
      try call.setResultValue(.structure([1, "text", .array([1, 2])]))
    }
    var generator = SeededGenerator(seed: 3)
    var (read, refused) = (0, 0)
    for _ in 0..<6000 {
      var bodies = original
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let index = Int.random(in: bodies.indices, using: &generator)
        guard !bodies[index].isEmpty else { continue }
        let place = Int.random(in: bodies[index].indices, using: &generator)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: bodies[index].remove(at: place)
        case 1: bodies[index].insert(UInt8.random(in: 0...255, using: &generator), at: place)
        case 2: bodies.swapAt(index, Int.random(in: bodies.indices, using: &generator))
        case 3: bodies[index].replaceSubrange(place..., with: bodies[index][place...].prefix(4))
        default: bodies[index][place] = UInt8.random(in: 0...255, using: &generator)
        }
      }
      // With right checksums, so that the values are reached.
      do {
        let recording = try Recording(bytes: file(bodies))
        read += 1
        if let subject = recording.subjects.first {
          _ = try? recording.replay(on: target, subject: subject).description
        }
      } catch {
        XCTAssertNotNil(error.offset, "\(error)")
        refused += 1
      }
    }
    XCTAssertGreaterThan(read, 300)
    XCTAssertGreaterThan(refused, 300)
  }

  func testMutatedSignaturesAreRefusedOrRead() throws {
    var (read, refused) = (0, 0)
    for signature in MutatedSignatures(count: 3000) {
      let isSignature = (try? MethodSignature(parsing: signature)) != nil
      do {
        let recording = try Recording(bytes: file([subject(signature)]))
        XCTAssertTrue(isSignature, signature)
        XCTAssertEqual(recording.subjects.count, 1, signature)
        read += 1
      } catch {
        // Where the text begins, with its length. What is a method's, or not known, is refused as
        // well.
        XCTAssertEqual(error.offset, 27, "\(signature): \(error)")
        XCTAssertEqual(error.code, .invalidSignature, "\(signature): \(error)")
        refused += 1
      }
      let values = file([subject(signature), call(Array(repeating: 1, count: 40))])
      do { _ = try Recording(bytes: values) } catch { XCTAssertNotNil(error.offset, "\(error)") }
    }
    XCTAssertGreaterThan(read, 100)
    XCTAssertGreaterThan(refused, 1000)
  }

  func testEachSortOfHarmHasItsCodeAndPlace() throws {
    let good = subject("i@?i")
    let cases: [([UInt8], ErrorCode, Int)] = [
      ([], .truncated, 0),
      (Array("a text file".utf8), .notARecording, 0),
      (file([], version: 0), .unknownVersion, 8),
      (file([], version: 3), .unknownVersion, 8),
      (file([[9]]), .unexpectedRecord, 20),
      (file([[]]), .truncated, 20),
      (file([subject("i@?")]).dropLast(1), .truncated, 20),
      (file([]) + word(UInt32.max) + word(0), .truncated, 20),
      (file([[1, 3] + good.dropFirst(2)]), .invalidValue, 21),
      (file([[1, 0] + word(UInt32.max) + word(0)]), .truncated, 26),
      (file([[1, 0] + word(1) + [0xFF] + word(0)]), .invalidValue, 22),
      (file([subject("i@?{}x")]), .invalidSignature, 27),
      (file([subject("i@?{A=[99999999999999999999i]}")]), .invalidSignature, 27),
      (file([good + [0]]), .invalidValue, 35),
      (file([good, call([1, 0, 0, 0], subject: 1)]), .invalidValue, 44),
      (file([good, call([1, 0, 0, 0], hasResult: 3)]), .invalidValue, 56),
      (file([good, call(thrown(), hasResult: 2)], version: 1), .invalidValue, 56),
      (file([good, call(thrown().dropLast(), hasResult: 2)]), .truncated, 70),
      (file([good, call(thrown([0xC0]), hasResult: 2)]), .invalidValue, 66),
      (file([good, call(thrown() + [0], hasResult: 2)]), .invalidValue, 74),
      (file([subject("v@?i"), call([1, 0, 0, 0], hasResult: 1)]), .invalidValue, 56),
      (file([good, call([1, 0, 0])]), .truncated, 57),
      (file([good, call([1, 0, 0, 0, 9])]), .invalidValue, 61),
      (file([subject("v@?B"), call([2])]), .invalidValue, 57),
      (file([subject("v@?*"), call(word(UInt32.max - 2))]), .truncated, 61),
      (file([subject("v@?*"), call(word(2) + [65, 0])]), .invalidValue, 61),
      (file([subject("v@?@"), call([3])]), .invalidValue, 57),
      (file([subject("v@?@"), call([1] + word(1) + [0xC0])]), .invalidValue, 58),
      (file([good, [3] + Array(repeating: 0, count: 16), good]), .unexpectedRecord, 60),
    ]
    let remedy: [ErrorCode: String] = [
      .truncated: "allowsTruncation: true", .notARecording: "; give a file",
      .unknownVersion: "; read it with",
    ]
    for (bytes, code, offset) in cases {
      XCTAssertThrowsError(try Recording(bytes: Array(bytes)), "\(code) \(offset)") { error in
        let error = error as? RecordingError
        XCTAssertEqual(error?.code, code, "\(String(describing: error))")
        XCTAssertEqual(error?.offset, offset, "\(String(describing: error))")
        XCTAssertTrue(error?.message.contains(remedy[code] ?? "; record the calls again") ?? false)
      }
    }
    var damaged = file([good])
    damaged[25] ^= 1
    expectError(.damaged) { _ = try Recording(bytes: damaged) }
  }

  func testACallThatThrewAnswersNoBlockAndDiffersFromWhatReturns() throws {
    let block = try Block(signature: "i@?i") { call in try call.setResult(5 as Int32) }
    let recording = try Recording(
      bytes: file([subject("i@?i"), call(thrown(Array("a\u{1B}[2J".utf8)), hasResult: 2)]))
    let error = try XCTUnwrap(recording.calls[0].error)
    XCTAssertEqual([error.typeName, error.text], ["T", "a\u{1B}[2J"])
    XCTAssertEqual("\(error)", "a [2J")
    XCTAssertEqual(
      try recording.replay(on: block).calls.map(\.outcome),
      [.differs(expected: "threw a [2J", got: "5")])
    XCTAssertThrowsError(try block.install(.answering(from: recording))) { error in
      XCTAssertEqual((error as? HookError)?.code, .notReplayable, "\(error)")
    }
    XCTAssertEqual(try block.call(1) as Int32, 5)
  }

  func testAnErrorWithAnyChangedByteIsReadOrRefused() throws {
    let block = try Block(signature: "i@?i") { call in try call.setResult(5 as Int32) }
    let body = call(thrown(), hasResult: 2)
    var (read, refused) = (0, 0)
    for place in body.indices {
      for byte in [0, 1, 2, 0x7F, 0x80, 0xFF] as [UInt8] {
        var changed = body
        changed[place] = byte
        do {
          let recording = try Recording(bytes: file([subject("i@?i"), changed]))
          XCTAssertFalse(try recording.replay(on: block).description.isEmpty)
          read += 1
        } catch {
          XCTAssertNotNil(error.offset, "\(error)")
          refused += 1
        }
      }
    }
    XCTAssertGreaterThan(read, 50)
    XCTAssertGreaterThan(refused, 50)
  }

  func testEmptyMembersCannotMakeASmallFileLarge() throws {
    let empty = String(repeating: "{E=}", count: 2000)
    for signature in [
      "v@?{A=\(empty)}", "v@?{A=[1000000000{E=}]\(empty)}",
    ] {
      let bytes = file([subject(signature)] + Array(repeating: call([]), count: 500))
      expectError(.tooManyParts) { _ = try Recording(bytes: bytes) }
    }
    // Values that hold none of the members, in which nothing is visited.
    for signature in ["v@?{A=[9{B=\(empty)}]}", "v@?(U=\(empty))"] {
      let bytes = file([subject(signature)] + Array(repeating: call([]), count: 500))
      XCTAssertEqual(try Recording(bytes: bytes).calls.count, 500)
    }
    // What large arrays announce must be there.
    for signature in ["v@?{A=[1000000000{E=}]}", "v@?{A=[60000c]}", "v@?{A=[1000000000c]}"] {
      let bytes = file([subject(signature), call([1, 2, 3])])
      XCTAssertThrowsError(try Recording(bytes: bytes)) { XCTAssertTrue($0 is RecordingError) }
    }
  }

  func testASmallFileKeepsNoReaderBusy() throws {
    let zero = String(repeating: "b8c0", count: 2000)
    let levels = String(repeating: "[1", count: 100) + "c" + String(repeating: "]", count: 100)
    for signature in ["v@?{A=[80000{B=c\(zero)}]}", "v@?{A=[40000\(levels)]}"] {
      let bytes = file([subject(signature), call(Array(repeating: 1, count: 80_000))])
      let status = withExtendedLifetime(Bytes(bytes)) { file in
        // SAFETY: the context is the file, which outlives the child's use of it.
        unsafe fixture_fork(
          { context in
            alarm(90)
            guard let context = unsafe context else { return 1 }
            let bytes = unsafe Unmanaged<Bytes>.fromOpaque(context).takeUnretainedValue().bytes
            _ = try? Recording(bytes: bytes)
            return 0
          }, Unmanaged.passUnretained(file).toOpaque())
      }
      XCTAssertEqual(status, 0, String(signature.prefix(20)))
    }
  }

  private final class Bytes {
    let bytes: [UInt8]
    init(_ bytes: [UInt8]) { self.bytes = bytes }
  }

  func testWhatIsNoFileIsRefused() throws {
    for path in ["/missing", "/", "/dev/zero", "/dev/null"] {
      expectError(.unreadableFile) { _ = try Recording(path: path) }
    }
  }

  /// Whatever a file says, calls are answered by it, or the reason is thrown.
  func testAChangedFileAnswersOrIsRefused() throws {
    let signature = "{R=*d}@?*{R=*d}i@"
    let block = try Block(signature: signature) { try $0.setResultValue($0.argumentValue(2)) }
    func arguments(_ number: Int) -> [CValue] {
      [
        .cString("t"), .structure([.cString("r\(number)"), .double(Double(number))]),
        .integer(Int128(number)), .object(nil),
      ]
    }
    let bytes = try recordedBytes(of: block) { block in
      for number in 0..<3 { _ = try block.call(values: arguments(number)) }
    }
    var random = SeededGenerator(seed: 7)
    var answered = 0
    for _ in 0..<500 {
      var bodies = bodies(of: bytes)
      let index = Int.random(in: 1..<4, using: &random)
      let place = Int.random(in: bodies[index].indices, using: &random)
      bodies[index][place] = .random(in: 0...255, using: &random)
      guard let recording = try? Recording(bytes: file(bodies)),
        let double = try? block.install(.answering(from: recording, onError: { _ in }))
      else { continue }
      for number in 0..<3 { XCTAssertNoThrow(try block.call(values: arguments(number))) }
      answered += 3 - double.handle.unrecordedCount
      double.hook.remove()
    }
    XCTAssertGreaterThan(answered, 500)
  }
}
