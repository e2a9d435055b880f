private import CObjectLifetimes.ObjectDestruction

/// A thread's list of records whose objects were destroyed while a remnant of another object ended;
/// first to last.
///
/// If the end of an object's values and hooks destroys other objects, their records are ended too,
/// right after the value or hook whose release destroyed them: from a list and not by recursion,
/// because a chain of such objects may be longer than the stack.
struct EndedRecords {
  private var ends: (first: RecordReference, last: RecordReference)?

  /// Releases the values and runs the hooks after the deinit, when the object's deinit has
  /// returned.
  ///
  /// The remnants end in this order: closures of hooks before the deinit, which have run, values in
  /// the order in which they were set, hooks after the deinit.
  static func end(_ record: RecordReference) {
    // SAFETY: the list is a variable of an outer call on this thread, which resets the address
    // before it returns. That call is running a value's or a hook's code now, and does not access
    // the list meanwhile.
    if let ended = unsafe cbr_ended_within() {
      return unsafe ended.assumingMemoryBound(to: EndedRecords.self).pointee.append(record)
    }
    var ended = EndedRecords()
    unsafe withUnsafeMutablePointer(to: &ended) { ended in
      unsafe cbr_set_ended_within(ended)
      defer { cbr_set_ended_within(nil) }
      var top: RecordReference? = record
      while let current = top {
        // The record of a long chain's object is not kept until the chain's end.
        if current.endNext() {
          top = current.next
          current.release()
        }
        unsafe ended.pointee.move(onto: &top)
      }
    }
  }

  private mutating func append(_ record: RecordReference) {
    ends?.last.next = record
    ends = (ends?.first ?? record, record)
  }

  /// Empties the list, and puts its records on a stack of others, the first on top.
  private mutating func move(onto top: inout RecordReference?) {
    guard let (first, last) = ends else { return }
    last.next = top
    top = first
    ends = nil
  }
}
