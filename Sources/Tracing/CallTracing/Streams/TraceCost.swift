internal import BlockABI
internal import BlockHooks
private import Glibc

/// What tracing costs on this machine, measured by tracing a block of this process.
package struct TraceCost: Sendable {
  /// How much longer a call takes that is traced, in nanoseconds.
  package let call: UInt64

  /// How long recording takes that a block is sent to a queue, in nanoseconds.
  package let submission: UInt64

  private typealias Body = @convention(block) (Int) -> Int

  private static let seriesCount = 5
  private static let length = 1000

  /// Measures; nil if a stream cannot be made.
  ///
  /// - Parameter directory: A directory for the stream, whose file is removed.
  package init?(measuredIn directory: String) {
    let others = Set(TraceDirectory.files(in: directory, endingWith: ".trace"))
    guard let writer = try? TraceStreamWriter(directory: directory, capacity: 1 << 20) else {
      return nil
    }
    for path in TraceDirectory.files(in: directory, endingWith: ".trace")
    where !others.contains(path) {
      // SAFETY: the path is null-terminated for the duration of the call.
      unsafe unlink(path)
    }
    let tracer = Tracer(writer)
    let body: Body = { $0 &+ 1 }
    guard let block = try? Block(body), let queues = tracer.queues else { return nil }
    let plain = Self.median { Self.call(body) }
    guard let hook = try? block.install(.tracing(with: tracer)) else { return nil }
    let traced = Self.median { Self.call(body) }
    hook.remove()
    call = traced > plain ? (traced - plain) / UInt64(Self.length) : 0
    let caller = unsafe UnsafeRawPointer(bitPattern: 16)
    submission =
      unsafe withUnsafePointer(to: caller) { caller in
        let callers = unsafe UnsafeBufferPointer(start: caller, count: 1)
        return Self.median {
          for _ in 0..<Self.length {
            unsafe queues.submit(block: 0, code: 0, to: 0, by: .async, from: callers)
          }
        }
      } / UInt64(Self.length)
    withExtendedLifetime(body) {}
  }

  private static func call(_ body: Body) {
    var value = 0
    for _ in 0..<length { value = body(value) }
  }

  /// The median duration of some series; the stream has room for all of them.
  private static func median(_ series: () -> Void) -> UInt64 {
    var durations: [UInt64] = []
    for _ in 0..<seriesCount {
      let start = ClockReading.monotonic.nanoseconds
      series()
      durations.append(ClockReading.monotonic.nanoseconds - start)
    }
    return durations.sorted()[seriesCount / 2]
  }
}
