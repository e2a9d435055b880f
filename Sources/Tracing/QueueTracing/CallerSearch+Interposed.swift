private import CQueueTracing.Callers
internal import CallTracing

extension CallerSearch {
  /// Finds the callers of interposed functions; nil without memory.
  ///
  /// - Parameter count: How many callers are recorded of a call, from 1 to 32.
  /// - Returns: The search.
  static func ofInterposed(count: Int) -> CallerSearch? {
    guard cbr_prepare_callers() else { return nil }
    return unsafe CallerSearch(cbr_find_callers, count: count)
  }

  /// Forgets what is known of callers: other code may be at their addresses.
  static func forgetCallers() { cbr_forget_callers() }
}
