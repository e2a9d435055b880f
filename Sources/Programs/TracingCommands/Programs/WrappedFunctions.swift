internal import CWrappedFunctions

/// The functions whose calls the linker leads to the product StaticTracing.
enum WrappedFunctions {
  /// Their names.
  static var names: [String] {
    // SAFETY: the function returns a C string that stays, or null behind the last one.
    (0...).lazy.map { unsafe cbr_wrapped_name($0).map { unsafe String(cString: $0) } }
      .prefix { $0 != nil }.compactMap(\.self)
  }

  /// The functions that the tracer calls only if the program has them.
  private static let needed = [
    "swift_task_getCurrent", "swift_task_getCurrentExecutor", "swift_task_getCurrentTaskName",
    "swift_task_getJobFlags", "swift_task_getJobTaskId", "swift_task_getMainExecutor",
    "_swift_concurrency_debug_internal_layout_version",
  ]

  /// The options of `swift build` for a program that contains the tracer, on one line.
  ///
  /// A function to which no other call leads than wrapped ones would not be linked.
  static var linkerFlags: String {
    let options =
      (names + needed).map { "--undefined=\($0)" }
      + (names + ["__libc_start_main"]).map { "--wrap=\($0)" }
    return options.map { "-Xlinker \($0)" }.joined(separator: " ")
  }
}
