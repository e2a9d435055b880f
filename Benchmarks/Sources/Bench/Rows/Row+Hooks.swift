import Measuring
import Synchronization

extension Row {
  /// A row in whose series something is hooked that other rows use too.
  ///
  /// - Parameters:
  ///   - name: The row's name.
  ///   - baseline: The row without the hook.
  ///   - maximumIterations: The most operations that a series may run.
  ///   - fixedIterations: How many operations each series runs, where other threads take part.
  ///   - expected: The sum that so many operations must give.
  ///   - count: How often the hook was met so far: at least once for each operation.
  ///   - install: Installs the hook, and returns what removes it.
  ///   - operation: Runs the operation a number of times.
  /// - Returns: The row; its result is wrong if the hook was not met.
  static func hooked(
    _ name: String, baseline: String, maximumIterations: Int = 1_000_000_000,
    fixedIterations: Int? = nil, expected: @escaping (_ iterations: Int) -> Int,
    count: @escaping () -> Int, by install: @escaping () throws -> () throws -> Void,
    _ operation: @escaping Operation
  ) -> Row {
    Row(
      name, baseline: baseline, maximumIterations: maximumIterations,
      fixedIterations: fixedIterations, expected: expected, during: install
    ) {
      { iterations in
        let before = count()
        let sum = try operation(iterations)
        return sum - max(0, iterations - (count() - before))
      }
    }
  }
}

/// Counts calls of a handler on one thread, with as little as that takes.
final class CallCount: Sendable {
  private let calls = Atomic(0)

  /// The calls so far.
  var value: Int { calls.load(ordering: .relaxed) }

  /// Counts one.
  @inline(__always)
  func add() { calls.store(value &+ 1, ordering: .relaxed) }
}
