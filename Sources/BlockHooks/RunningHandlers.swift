private import CBlockRuntime.ThreadSlot

// SAFETY, for the whole file: every activation in the list lies in a frame that is still running.

/// The handler calls that a thread is inside of, innermost first.
enum RunningHandlers {
  /// One handler call on this thread's stack.
  @unsafe
  private struct Activation {
    let entry: Unmanaged<HookEntry>
    let outer: UnsafeMutableRawPointer?
  }

  /// Runs a handler call of an entry.
  static func run(_ entry: HookEntry, _ call: () -> Void) {
    let outer = unsafe cbr_thread_slot_get()
    var activation = unsafe Activation(entry: .passUnretained(entry), outer: outer)
    unsafe withUnsafeMutablePointer(to: &activation) { pointer in
      // SAFETY: the slot points to this frame only while the call is running in it.
      unsafe cbr_thread_slot_set(pointer)
      call()
      unsafe cbr_thread_slot_set(outer)
    }
  }

  /// How many calls of an entry's handler this thread is inside of.
  static func count(of entry: HookEntry) -> Int {
    var count = 0
    var next = unsafe cbr_thread_slot_get()
    while let pointer = unsafe next {
      // SAFETY: every activation in the list lies in a frame that is still running.
      let activation = unsafe pointer.load(as: Activation.self)
      if unsafe activation.entry.toOpaque() == Unmanaged.passUnretained(entry).toOpaque() {
        count += 1
      }
      unsafe next = unsafe activation.outer
    }
    return count
  }
}
