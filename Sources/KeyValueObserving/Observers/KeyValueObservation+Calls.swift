internal import CKeyValueObserving.Observing

extension KeyValueObservation {
  /// Calls a closure as a call of the observer, if it is not removed.
  ///
  /// - Returns: Whether it was called.
  @discardableResult
  func call(_ body: () throws -> Void) -> Bool {
    guard begin() else { return false }
    unsafe ObserverCalls.run { calls in
      // SAFETY: the frame is the one of this call.
      unsafe calls.frame.pointee.observer = UnsafeRawPointer(
        Unmanaged.passUnretained(self).toOpaque())
      do { try body() } catch { fail(error) }
    }
    end()
    return true
  }
}
