internal import TypeEncodings

extension Invocation {
  /// Leaves no result to be read, until the next call or `setResult(_:)`.
  package func forgetResult() {
    hasResult = false
    keptResult = nil
  }

  /// Makes the result what nil answers: all zero bytes, or none where there is none.
  package func setZeroResult() {
    keptResult = nil
    // SAFETY: the slot is the invocation's own.
    guard let slot = unsafe try? buffer.resultSlot() else { return }
    unsafe slot.address.initializeMemory(as: UInt8.self, repeating: 0, count: slot.layout.size)
    hasResult = true
  }
}
