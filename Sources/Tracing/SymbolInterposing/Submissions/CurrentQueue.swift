private import CSymbolInterposing.CallSites

/// The queue of libdispatch that the current thread runs.
package enum CurrentQueue {
  /// What libdispatch answers on threads that run no queue; no public function sends blocks there.
  private static let ofOtherThreads = "com.apple.root.default-qos.overcommit"

  /// The queue's label; nil without one, and outside of queues.
  package static var label: String? {
    // SAFETY: the label is a C string that lives as long as its queue, which is running this call.
    let label = unsafe cbr_queue_label().map { unsafe String(cString: $0) } ?? ""
    return label.isEmpty || label == ofOtherThreads ? nil : label
  }
}
