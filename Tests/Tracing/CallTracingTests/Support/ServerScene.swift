import BlockABI
import BlockHooks
import CallTracing
import Foundation
import Invocations
import Synchronization
import TestSupport

/// A server that never was: threads whose blocks call blocks, by a clock that the scene sets, so
/// that its trace is the same in every run but for the threads' numbers.
final class ServerScene: Sendable {
  private typealias Work = @convention(block) (Int) -> Int

  private struct Failure: Error, CustomStringConvertible { let description: String }

  private struct State {
    var time: UInt64 = 0
    var generator = SeededGenerator(seed: 5)
    var callCount = 0
  }

  private let state = Mutex(State())

  /// Runs threads one after the other, as if at once, until about so many calls are traced.
  func run(_ sinks: [any TraceSink], callCount: Int) throws {
    var options = TraceOptions()
    options.clock = ReadingClock { self.state.withLock { $0.time } }
    options.queueCapacity = 2 * callCount + 1_000
    let tracer = Tracer(sinks, options: options)
    let request = try handleRequest(tracer)
    for (number, name) in ["net-accept", "worker-1", "worker-2", "worker-3"].enumerated() {
      let group = ThreadGroup()
      group.start {
        try? name.write(toFile: "/proc/thread-self/comm", atomically: false, encoding: .utf8)
        self.state.withLock { $0.time = UInt64(number) * 310_000 }
        while self.state.withLock({ $0.callCount }) < callCount * (number + 1) / 4 {
          _ = try? request.call(self.random(1...40)) as Int
          // A thread that has ended has no name any more.
          tracer.flush()
          self.pass(20_000...900_000)
        }
      }
      group.wait()
    }
    tracer.close()
  }

  private func handleRequest(_ tracer: Tracer) throws -> Block {
    let query = try queryDatabase(tracer)
    let render = try renderTemplate(tracer)
    let audit = try writeAudit(tracer)
    let handle: Work = { number in
      self.pass(2_000...9_000)
      // SAFETY: the text lives while the block is called.
      let rows = unsafe "SELECT * FROM orders WHERE customer = \(number)".withCString { text in
        unsafe (try? query.call(text, Double(number) / 8) as Int) ?? 0
      }
      for part in 0..<self.random(1...3) {
        _ = try? render.call(part) as Int
        self.pass(500...3_000)
      }
      try? audit.call(number)
      self.pass(1_000...4_000)
      return rows
    }
    return try traced(Block(handle), tracer)
  }

  private func queryDatabase(_ tracer: Tracer) throws -> Block {
    let decode = try decodeRow(tracer)
    let query = try Block(signature: "q@?r*d") { call in
      self.pass(8_000...60_000)
      let rows = self.random(2...9)
      for row in 0..<rows { _ = try? decode.call(row) as Int }
      try call.setResult(rows)
    }
    return try traced(query, tracer)
  }

  private func decodeRow(_ tracer: Tracer) throws -> Block {
    let decode: Work = { row in
      self.pass(400...5_200)
      return row * 3
    }
    return try traced(Block(decode), tracer)
  }

  private func renderTemplate(_ tracer: Tracer) throws -> Block {
    let render: Work = { part in
      self.pass(6_000...42_000)
      return part + 200
    }
    return try traced(Block(render), tracer)
  }

  /// Now and then it throws, and for some customers it is replaced.
  private func writeAudit(_ tracer: Tracer) throws -> Block {
    let write: @convention(block) (Int) -> Void = { _ in self.pass(900...7_000) }
    let block = try Block(write)
    try block.hook(onError: { _ in }) { call in
      self.state.withLock { $0.callCount += 1 }
      let number: Int = try call.argument(1)
      try tracer.record(&call) { call in
        if number % 13 == 0 { throw Failure(description: "disk quota exceeded for \(number)") }
        self.pass(300...900)
        if number % 5 != 0 { try call.proceed() }
      }
    }
    return block
  }

  private func traced(_ block: Block, _ tracer: Tracer) throws -> Block {
    try block.hook(.before) { _ in self.state.withLock { $0.callCount += 1 } }
    try block.install(.tracing(with: tracer))
    return block
  }

  private func random(_ range: ClosedRange<Int>) -> Int {
    state.withLock { Int.random(in: range, using: &$0.generator) }
  }

  private func pass(_ range: ClosedRange<Int>) {
    let amount = UInt64(random(range))
    state.withLock { $0.time += amount }
  }
}
