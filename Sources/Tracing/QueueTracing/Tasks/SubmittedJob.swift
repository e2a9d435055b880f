private import BlockRuntimeThreads
internal import Invocations

/// A job of Swift's concurrency library that was sent to a queue, in memory that takes its place.
@safe
struct SubmittedJob {
  // SAFETY: the library sends the job with the function that runs it; the memory is freed when it
  // runs, once.

  typealias Function = @convention(c) (UnsafeMutableRawPointer?) -> Void

  /// The function that runs the job.
  let address: UnsafeRawPointer
  let job: UnsafeMutableRawPointer

  /// Records the tasks; retained until the job has run.
  let tasks: Unmanaged<TaskTrace>

  /// Runs a job, and frees its memory.
  static let runOnce: Function = { memory in
    guard let memory = unsafe memory?.assumingMemoryBound(to: SubmittedJob.self) else { return }
    let job = unsafe memory.pointee
    ReentrancyGuard.ignoringThread { unsafe memory.deallocate() }
    let count = TaskTrace.partCount
    unsafe unsafeBitCast(job.address, to: Function.self)(job.job)
    ReentrancyGuard.ignoringThread {
      unsafe job.tasks._withUnsafeGuaranteedRef { $0.endParts(above: count) }
      unsafe job.tasks.release()
    }
  }
}
