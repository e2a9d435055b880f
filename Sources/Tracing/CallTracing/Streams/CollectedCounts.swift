private import CCallTracing.TraceCounts
private import CCallTracing.TraceStream
private import Glibc

/// How often functions were called whose calls were counted (`CountedCalls`), over all processes.
///
/// What programs write to the files is not trusted.
struct CollectedCounts {
  /// The counts of the functions that were called.
  private(set) var calls: [TracedName: UInt64] = [:]

  private let directory: String

  /// The time of the last look for files.
  private var lastLook: UInt64 = 0

  private static let ending = ".counts"
  private static let interval: UInt64 = 200_000_000
  private static let byteLimit = 1 << 26

  init(directory: String) { self.directory = directory }

  /// Adds the counts of the processes that have ended, and removes their files.
  mutating func collect(at now: UInt64) {
    guard now >= lastLook &+ Self.interval else { return }
    lastLook = now
    for path in TraceDirectory.files(in: directory, endingWith: Self.ending) {
      // SAFETY: the path is null-terminated for the duration of the call.
      if unsafe !cbr_trace_stream_has_writer(path) { take(path) }
    }
  }

  /// Adds all counts; processes that have not ended go on, and their later calls count no more.
  mutating func finish() {
    for path in TraceDirectory.files(in: directory, endingWith: Self.ending) { take(path) }
  }

  private mutating func take(_ path: String) {
    add(FileContents.read(path, limit: Self.byteLimit) ?? [])
    // SAFETY: the path is null-terminated for the duration of the call.
    unsafe unlink(path)
  }

  /// Adds the counts of a file, those of functions that it describes.
  private mutating func add(_ bytes: [UInt8]) {
    let words = bytes.count / MemoryLayout<UInt64>.stride
    func word(_ index: Int) -> UInt64 {
      bytes[(index * 8)..<(index * 8 + 8)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    guard words >= 3, word(0) == CBR_TRACE_COUNTS_MAGIC, let size = Int(exactly: word(1)),
      let sets = Int(exactly: word(2)),
      case let (count, isTooMany) = size.multipliedReportingOverflow(
        by: sets), !isTooMany, (0...(words - 3)).contains(count), size >= 0, sets >= 0
    else { return }
    let text = String(decoding: bytes[((3 + count) * 8)...], as: UTF8.self)
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 2)
      guard parts.count == 3, let place = Int(parts[0]), (0..<size).contains(place) else {
        continue
      }
      var sum: UInt64 = 0
      for set in 0..<sets { sum.addClamped(word(3 + set * size + place)) }
      guard sum > 0 else { continue }
      var name = TracedName(
        title: ForeignSymbol.name(of: String(parts[1])), image: String(parts[2]), signature: "")
      if calls[name] == nil, calls.count >= CountedCalls.functionLimit {
        name = TracedName(title: "(others)", image: nil, signature: "")
      }
      calls[name, default: 0].addClamped(sum)
    }
  }
}
