private import BlockRuntimeErrors
internal import CCallTracing.TraceStream

/// The traced process's end of a stream: threads append their calls, for a reader in another
/// process.
///
/// Appended records survive the end of this process. Appending takes no lock and allocates no
/// memory. The child of a fork appends to the same stream.
@safe
package final class TraceStreamWriter: Sendable {
  /// The default capacity of a stream, in bytes.
  package static let defaultCapacity = 16 << 20

  // SAFETY: written by `init` and `deinit` only; the C functions access the shared ring with atomic
  // operations.
  nonisolated(unsafe) private let stream: UnsafeMutablePointer<cbr_trace_stream>

  /// Creates a stream in a file of its own.
  ///
  /// - Parameters:
  ///   - directory: The directory in which the reader looks for streams.
  ///   - capacity: The number of bytes for records that the reader has not consumed; further
  ///     records are dropped.
  /// - Throws: `outputUnavailable`.
  package init(directory: String, capacity: Int = defaultCapacity) throws(TraceError) {
    let made = UnsafeMutablePointer<cbr_trace_stream>.allocate(capacity: 1)
    let error = unsafe cbr_trace_stream_create(made, directory, UInt64(max(capacity, 0)))
    guard error == 0 else {
      unsafe made.deallocate()
      let reason = SystemError.text(error)
      throw TraceError(
        .outputUnavailable,
        "cannot create a stream of \(capacity) bytes in \(directory): \(reason); give a directory "
          + "and a capacity that this process has room for")
    }
    unsafe stream = unsafe made
    TraceThread.watchForks()
  }

  deinit {
    unsafe cbr_trace_stream_close(stream)
    unsafe stream.deallocate()
  }

  /// How many calls were dropped for lack of room.
  package var droppedCount: Int {
    unsafe Int(clamping: cbr_trace_stream_dropped(stream))
  }

  /// The stream as traced threads see it.
  var appender: TraceStreamAppender { unsafe TraceStreamAppender(stream) }
}
