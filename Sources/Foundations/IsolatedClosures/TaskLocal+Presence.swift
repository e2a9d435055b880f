private import CIsolatedClosures

extension TaskLocal {
  /// Whether the current task, or the thread outside of tasks, has a value that was set by
  /// `withValue`; unlike reading the value, it retains nothing.
  package var isSet: Bool {
    // SAFETY: the address is only compared with those of the task's values.
    unsafe cbr_task_has_value(Unmanaged.passUnretained(self).toOpaque())
  }
}
