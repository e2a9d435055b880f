import BlockRuntimeErrors
import CommandOptionsAndResults
import Glibc

/// The Swift runtime that a program brings, and that the tracer shares with it.
struct ProgramRuntime {
  private static let name = "libswiftCore.so"

  /// Checks that the runtime of a program has all symbols that the tracer needs.
  ///
  /// The dynamic loader lists what it would load and what would be missing; the program does not
  /// begin.
  ///
  /// - Parameters:
  ///   - program: The program.
  ///   - library: The library that is to be loaded into it.
  /// - Throws: `otherRuntime`.
  static func check(
    _ program: ProgramInspection, with library: TracerLibrary
  ) throws(Failure) {
    guard program.isSwift, !program.containsTracer else { return }
    let lines = loaderOutput(
      program.tracedPath,
      // Without the third the loader prints nothing about functions.
      [
        "LD_PRELOAD": library.path, "LD_TRACE_LOADED_OBJECTS": "1", "LD_WARN": "1",
        "LD_BIND_NOW": "1",
      ])
    // The tracer's, and those of libraries that lie beside it.
    let directory = library.path.prefix(
      through: library.path.lastIndex(of: "/") ?? library.path.startIndex)
    let missing = lines.filter {
      $0.hasPrefix("undefined symbol: ") && $0.contains("\t(\(directory)")
    }.compactMap { $0.dropFirst("undefined symbol: ".count).split(separator: "\t").first }
    guard let example = missing.min() else { return }
    let path =
      lines.lazy.map { $0.drop { $0 == "\t" } }.first { $0.hasPrefix("\(name) => ") }
      .flatMap { $0.split(separator: " ").dropFirst(2).first }.map { ", \($0)," } ?? ""
    throw Failure(
      code: "otherRuntime",
      message: "the Swift runtime of \(program.tracedPath)\(path) is of another version: it lacks "
        + "\(missing.count.of("symbol")) that the tracer needs, such as \(example); build the program "
        + "with Swift 6.2 or newer, or hook-demo with the Swift that built the program")
  }

  /// The lines that a program's start prints with some environment; none if it cannot be started.
  private static func loaderOutput(_ path: String, _ changes: [String: String]) -> [Substring] {
    var ends: [Int32] = [-1, -1]
    // SAFETY: `pipe` writes both ends. The actions are initialised here and destroyed once.
    guard unsafe pipe(&ends) == 0 else { return [] }
    defer { close(ends[0]) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
    for end in ends { unsafe posix_spawn_file_actions_addclose(&actions, end) }
    // SAFETY: strdup copies the words and lines, which end with a zero; all copies are freed once.
    var lines: [UnsafeMutablePointer<CChar>?] = unsafe ProcessEnvironment.changed(changes).map {
      unsafe strdup($0.map { CChar(bitPattern: $0) } + [0])
    }
    unsafe lines.append(nil)
    defer { unsafe lines.forEach { line in unsafe free(line) } }
    var words: [UnsafeMutablePointer<CChar>?] = unsafe [strdup(path), nil]
    defer { unsafe free(words[0]) }
    var number: pid_t = 0
    // SAFETY: both lists end with a null, and live until the call returns.
    let error = unsafe posix_spawn(&number, path, &actions, nil, &words, &lines)
    close(ends[1])
    guard error == 0 else { return [] }
    var output: [UInt8] = []
    while let part = FileDescriptor.read(ends[0]), !part.isEmpty { output += part }
    var status: Int32 = 0
    // SAFETY: the status is a local variable; only this function waits for that process.
    unsafe waitpid(number, &status, 0)
    return String(decoding: output, as: UTF8.self).split(separator: "\n")
  }
}
