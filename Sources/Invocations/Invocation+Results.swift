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

  /// Makes the result of another invocation, a copy of this one, this one's too.
  package func setResult(of copy: Invocation) {
    guard copy.hasResult, let from = unsafe try? copy.buffer.resultSlot(),
      let to = unsafe try? buffer.resultSlot()
    else { return }
    unsafe to.address.copyMemory(from: from.address, byteCount: to.layout.size)
    // The result may point into the copy, or into this one's last result.
    keptResult = [copy, keptResult].compactMap(\.self) as AnyObject
    hasResult = true
  }
}
