internal import BlockHooks
internal import CallTracing
private import Glibc
internal import Invocations
internal import SymbolInterposing

/// Records the names that the program gives its threads.
///
/// The kernel's names have at most 15 bytes: `pthread_setname_np` refuses longer ones, with which
/// Foundation calls it as well, and the thread keeps its old name. The names that threads give
/// themselves are recorded as they were passed.
enum ThreadNames {
  // SAFETY: the hook has the signature of the function; its caller keeps the text alive.

  /// Hooks the function for the stream of a tracer.
  ///
  /// - Throws: As `ImportedFunction.hook`.
  static func install(
    _ queues: TraceQueues, _ hooks: inout HookSet
  ) throws(InterposingError) {
    try hooks.install(
      .after, of: "pthread_setname_np", "iQr*", in: .all, name: "thread names"
    ) { call in
      let thread = try call.argument(0, as: UInt.self)
      guard pthread_equal(pthread_t(thread), pthread_self()) != 0,
        [0, ERANGE].contains(try call.result(as: Int32.self)),
        let name = unsafe try call.argument(1, as: UnsafePointer<CChar>?.self)
      else { return }
      unsafe queues.nameThread(UnsafeRawBufferPointer(start: name, count: strlen(name)))
    }
  }
}
