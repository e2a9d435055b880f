import CommandOptionsAndResults
import Glibc

/// Starts this program again as a worker.
enum WorkerSpawn {
  /// The standard streams of a worker; standard error is always the command's.
  struct Streams {
    /// Whether standard input is the command's; otherwise it is empty.
    let sharesInput: Bool

    /// Whether standard output is the command's; otherwise it is the command's standard error.
    let sharesOutput: Bool
  }

  /// The subcommand that makes this program a worker.
  static let command = "call-worker"

  /// The lowest descriptor of the channel, so high that called functions do not expect it.
  private static let channelBase: Int32 = 200

  /// Starts a worker.
  ///
  /// - Throws: `noProcess`.
  static func start(_ streams: Streams) throws(Failure) -> (process: pid_t, pipes: WorkerPipes) {
    guard let requests = pipe(), let answers = pipe() else {
      throw refusal("no pipe", errno)
    }
    let pipes = WorkerPipes(requests: requests.write, answers: answers.read)
    defer {
      close(requests.read)
      close(answers.write)
    }
    let arguments =
      ["hook-demo", command]
      + [requests.read, answers.write, getpid(), requests.write, answers.read].map(String.init)
    // SAFETY: the actions are a local variable, initialised here and destroyed once, after the
    // process was started; the functions copy the paths.
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    // Duplicating a descriptor to its own number clears its close-on-exec flag.
    unsafe posix_spawn_file_actions_adddup2(&actions, requests.read, requests.read)
    unsafe posix_spawn_file_actions_adddup2(&actions, answers.write, answers.write)
    if !streams.sharesInput {
      unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    if !streams.sharesOutput, fcntl(STDERR_FILENO, F_GETFD) < 0 {
      unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    } else if !streams.sharesOutput {
      unsafe posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    }
    // SAFETY: the attributes and the set are local variables, which are treated as the actions are.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    unsafe sigemptyset(&defaults)
    unsafe sigaddset(&defaults, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

    // SAFETY: strdup copies each word; the list ends with a null, and all copies are freed once.
    // All pointers are valid until posix_spawn returns.
    var words = unsafe arguments.map { word in unsafe strdup(word) } + [nil]
    defer { unsafe words.forEach { word in unsafe free(word) } }
    var process: pid_t = 0
    let status = unsafe posix_spawn(
      &process, "/proc/self/exe", &actions, &attributes, &words, ProcessEnvironment.list)
    guard status == 0 else {
      pipes.close()
      throw refusal("posix_spawn of /proc/self/exe", status)
    }
    return (process, pipes)
  }

  /// A pipe whose ends have high descriptors, which are not those of the standard streams.
  private static func pipe() -> (read: Int32, write: Int32)? {
    // SAFETY: the array has room for the two descriptors, and lives for the call.
    var ends: [Int32] = [-1, -1]
    guard unsafe Glibc.pipe(&ends) == 0 else { return nil }
    let moved = ends.map { end in
      let copy = fcntl(end, F_DUPFD_CLOEXEC, channelBase)
      let placed = copy >= 0 ? copy : fcntl(end, F_DUPFD_CLOEXEC, 3)
      close(end)
      return placed
    }
    return moved.allSatisfy { $0 >= 0 } ? (moved[0], moved[1]) : nil
  }

  private static func refusal(_ what: String, _ number: Int32) -> Failure {
    Failure(
      code: "noProcess",
      message: "the process that makes calls cannot be started: \(what): "
        + SystemError.text(number))
  }
}
