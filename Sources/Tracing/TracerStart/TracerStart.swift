package import CallTracing
private import Glibc
internal import SymbolInterposing

/// How the tracer came into the program.
package enum TracerStart {
  /// As a library that was preloaded; the function counts calls of Swift functions.
  case preloaded(_ count: SwiftCallCounting)
  /// The program contains it, and the libraries that it traces.
  case contained
}

/// Counts calls of Swift functions.
package typealias SwiftCallCounting = (TraceSettings, Tracer) throws(SwiftCallRefusal) -> Void

/// Why no calls of Swift functions are counted.
package struct SwiftCallRefusal: Error {
  let code: String
  let message: String

  /// Describes a reason.
  package init(code: String, message: String) { (self.code, self.message) = (code, message) }
}

/// Begins to trace this program, as `hook-demo trace` and `interpose` ask for it.
///
/// It does what the variable `BLOCK_TRACER` requests, and nothing if that is not set.
///
/// - Parameter start: How the tracer came into the program.
package func startTracer(_ start: TracerStart) {
  // SAFETY: the variable is a C string, and no thread changes the environment yet.
  let text = unsafe getenv(TraceSettings.variable).map { unsafe String(cString: $0) }
  guard let settings = text.flatMap(TraceSettings.init) else { return }
  // A program that begins after the tracing command has ended is left alone, and what it starts:
  // the directory may become another trace's.
  let isTraced = TraceDirectory.isCollected(settings.directory)
  if !settings.followsPrograms || !isTraced { leaveEnvironment(start) }
  guard isTraced else { return }
  do throws(TraceError) {
    guard !settings.startsIdle else {
      return try TraceSwitch.listen(in: settings.directory, SwitchedTrace(settings))
    }
    let trace = try ProgramTrace(settings, mayEndProgram: isFirstProgram(settings.directory))
    // The command does not ask for it of programs that contain the runtime.
    if case .preloaded(let count) = start { trace.countSwiftCalls(by: count) }
    trace.start()
  } catch {
    report("\(error)")
  }
}

/// Whether this is the first program of the trace, which the tracing command started itself.
private func isFirstProgram(_ directory: String) -> Bool {
  // SAFETY: the path is null-terminated for the duration of the call.
  let file = unsafe open("\(directory)/begun", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
  guard file >= 0 else { return false }
  close(file)
  return true
}

/// Removes this library, which comes first if it was preloaded, from the environment of programs
/// that are started from now on.
private func leaveEnvironment(_ start: TracerStart) {
  unsafe unsetenv(TraceSettings.variable)
  guard case .preloaded = start else { return }
  let name = "LD_PRELOAD"
  // SAFETY: the variable is a C string, and no thread uses the environment yet.
  let preloaded = unsafe getenv(name).map { unsafe String(cString: $0) } ?? ""
  let others = preloaded.split(separator: ":").dropFirst().joined(separator: ":")
  _ = unsafe others.isEmpty ? unsetenv(name) : setenv(name, others, 1)
}

func report(_ message: String) {
  let line = Array("hook-demo: process \(getpid()) is not traced: \(message)\n".utf8)
  // SAFETY: the buffer has the length that is passed to `write`.
  _ = unsafe write(STDERR_FILENO, line, line.count)
}

/// Libraries and programs that may bring a function which the program and its libraries lack.
enum Newcomers {
  private static let loading: Set = ["dlopen", "dlmopen"]

  private static let starting: Set = [
    "execl", "execle", "execlp", "execv", "execve", "execveat", "execvp", "execvpe", "fexecve",
    "popen", "posix_spawn", "posix_spawnp", "system",
  ]

  /// The libraries that this library needs, through which the program would not load or start
  /// anything.
  private static let ownLibraries = [
    "libswift*", "libdispatch.so*", "libBlocksRuntime.so*", "libffi.so*", "libstdc++.so*",
  ]

  /// Whether the program itself is written in Swift.
  static var isSwiftProgram: Bool {
    let program = ImageFilter(include: ["*"], exclude: ["*.so", "*.so.*"])
    return ImportSlot.all(in: program).contains { $0.symbol.hasPrefix("swift_") }
  }

  /// Whether the program can load libraries, or start programs if those are traced.
  static func arePossible(_ followsPrograms: Bool) -> Bool {
    let ways = followsPrograms ? loading.union(starting) : loading
    let images = ImageFilter(
      exclude: ownLibraries, excludesOwnImage: !ImageFilter.containsLibraries)
    return ImportSlot.all(in: images).contains { ways.contains($0.symbol) }
  }
}
