#if Everything
package import ArgumentParser
import Glibc

/// `hook-demo call-worker …`: the process that makes the calls of `hook-demo call`; not for users.
package struct CallWorkerCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: WorkerSpawn.command,
    abstract: "Makes the calls of hook-demo call, which starts it.",
    shouldDisplay: false)

  @Argument var requests: Int32
  @Argument var answers: Int32
  @Argument var parent: Int32
  @Argument var parentRequests: Int32
  @Argument var parentAnswers: Int32

  package init() {}

  package func run() throws {
    let descriptors = WorkerChannel.Descriptors(
      requests: requests, answers: answers, parent: parent, parentRequests: parentRequests,
      parentAnswers: parentAnswers)
    guard var worker = CallWorker(descriptors) else {
      throw ValidationError("only hook-demo call starts this command")
    }
    worker.run()
  }
}
#endif
