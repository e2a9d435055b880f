private import CSymbolInterposing.Queues

/// The labels of libdispatch's queues.
package enum QueueLabel {
  /// What libdispatch answers on threads that run no queue; no public function sends blocks there.
  private static let ofOtherThreads = "com.apple.root.default-qos.overcommit"

  /// The label of the queue that the current thread runs; nil without one, and outside of queues.
  package static var ofCurrent: String? {
    // SAFETY: there is no address.
    let label = unsafe of(nil)
    return label.isEmpty || label == ofOtherThreads ? nil : label
  }

  /// The label of a queue, or of that which the current thread runs; empty without one.
  static func of(_ queue: UnsafeRawPointer?) -> String {
    // SAFETY: if there is an address, a queue is there; the label is a C string that lives as long.
    unsafe cbr_label_of_queue(queue).map { unsafe String(cString: $0) } ?? ""
  }
}
