internal import CCallTracing.TraceCallers

/// The numbers of the functions that sent a block, created a task or made a call, the innermost
/// first.
@safe
struct TraceCallers {
  // SAFETY: the count is never more than the numbers.
  private var callers = cbr_trace_callers()

  var count: Int { Int(callers.count) }

  mutating func append(_ number: UInt32) { unsafe cbr_trace_add_caller(&callers, number) }

  /// The size in a stream, in bytes.
  var size: Int { 1 + 4 * count }

  /// Appends how many there are, and the numbers.
  func append(to body: inout StreamBodyWriter) { body.append(callers) }
}

/// How the callers of a hooked function are found.
@safe
package struct CallerSearch: Sendable {
  // SAFETY: the function writes no more addresses than it is asked for, into memory with room for
  // them.

  /// The largest number of callers that are recorded of a call.
  package static let limit = Int(CBR_TRACE_CALLERS)

  /// Writes the return addresses of the hooked function's callers, the innermost first, and returns
  /// their number.
  ///
  /// A handler of the function is running. Allocates no memory.
  package typealias Find =
    @convention(c) (UnsafeMutablePointer<UnsafeRawPointer?>, _ limit: Int) -> Int

  private let find: Find
  let count: Int

  /// Describes a search.
  ///
  /// ## Safety
  /// The function must write no more addresses than its limit.
  ///
  /// - Parameters:
  ///   - find: Finds callers.
  ///   - count: How many are recorded of a call, from 1 to 32.
  @unsafe
  package init(_ find: @escaping Find, count: Int) {
    unsafe self.find = unsafe find
    self.count = min(max(count, 1), Self.limit)
  }

  /// Calls a closure with the return addresses of the callers of the hooked function.
  package func withCallers<Result>(
    _ body: (UnsafeBufferPointer<UnsafeRawPointer?>) throws -> Result
  ) rethrows -> Result {
    unsafe try withUnsafeTemporaryAllocation(of: UnsafeRawPointer?.self, capacity: count) {
      addresses in
      unsafe addresses.initialize(repeating: nil)
      guard let start = addresses.baseAddress else {
        return unsafe try body(UnsafeBufferPointer(start: nil, count: 0))
      }
      // SAFETY: the buffer has room for the number of addresses that is passed.
      return unsafe try body(UnsafeBufferPointer(start: start, count: find(start, count)))
    }
  }
}
