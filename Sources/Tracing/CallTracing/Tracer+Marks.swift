internal import BlockRuntimeThreads
internal import Invocations

extension Tracer {
  /// Records an event that is no call, on the current thread, where and when it happens:
  /// `os_signpost_event_emit`.
  ///
  /// Its record is that of a call of a subject with this name, without a duration, within the
  /// traced calls around it. `TraceOptions.slowThreshold` does not apply; the patterns of symbols
  /// apply to the name. A property's changes become part of a trace so:
  ///
  /// ```swift
  /// let tracer = Tracer(TraceBuffer())
  /// person.observe(\.name, options: [.old, .new]) { tracer.mark("Person.name", "\($1)") }
  /// ```
  ///
  /// A mark takes a lock for a moment and allocates memory. Any thread may make one; names should
  /// be few, because the tracer keeps each.
  ///
  /// - Parameters:
  ///   - name: The event's name.
  ///   - details: What the record has as arguments.
  public func mark(_ name: String, _ details: String...) {
    let thread = TraceThread.current
    guard let queue, !thread.isUntraced, let code = code(ofMark: name) else { return }
    let time = clock.nanoseconds
    let depth = thread.enter(place)
    thread.leave(place, at: depth)
    let limit = options.valueByteLimit
    let texts = limit > 0 ? details.map { $0.capped(limit) } : nil
    queue.offer(
      EndedCall(thread, depth, time, time, .proceeded), TraceWords(), code.recorded,
      .ifAny(arguments: texts, result: nil, error: nil))
  }

  /// The code that stands for the marks with a name; nil if the tracer's patterns exclude it.
  private func code(ofMark name: String) -> TracedCode? {
    let code = try? marks.value(for: name) { () throws(InvocationError) in
      unsafe try codes.codeWithoutValues(at: nil, options, title: name)
    }
    return code?.isIncluded == true ? code : nil
  }
}
