#if Everything
import ArgumentParser
import CallTracing
import CommandOptionsAndResults
import Glibc
import Invocations

/// The options of a command that lets calls of a function fail or wait.
struct FaultOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Let calls fail with this errno, such as ENOSPC: they return -1 or null.",
      valueName: "errno"))
  var fail: String?

  @Option(help: ArgumentHelp("Let calls wait so long before they go on.", valueName: "time"))
  var delay: TimeLimit?

  @Option(
    help: ArgumentHelp(
      "Only the call with this number, in each process; a fork counts on.", valueName: "number"))
  var nth: Int?

  @Option(
    help: ArgumentHelp("Only the first call, and then each of this interval.", valueName: "number"))
  var every: Int?

  @Option(
    help: ArgumentHelp(
      "Only this share of the calls, from 0 to 1; in each run the same ones.", valueName: "share"))
  var probability: Double?

  func validate() throws {
    let choices = [nth != nil, every != nil, probability != nil].count { $0 }
    guard fail != nil || delay != nil || choices == 0 else {
      throw ValidationError("--nth, --every and --probability go with --fail or --delay")
    }
    guard choices < 2 else {
      throw ValidationError("--nth, --every and --probability exclude each other")
    }
    guard (nth ?? 1) >= 1, (every ?? 1) >= 1 else {
      throw ValidationError("--nth and --every take a number from 1")
    }
    guard (0...1).contains(probability ?? 0) else {
      throw ValidationError("--probability takes a share from 0 to 1, such as 0.1")
    }
    if let fail, Self.number(fail) == nil {
      throw ValidationError(
        "--fail takes the name of an errno, such as ENOSPC, or its number; '\(fail)' is none")
    }
  }

  /// The fault; nil if none is asked for.
  var fault: InjectedFault? {
    guard fail != nil || delay != nil else { return nil }
    let choice: InjectedFault.Choice =
      nth.map { .nth($0) } ?? every.map { .every($0) } ?? probability.map { .share($0) } ?? .all
    let error = fail.flatMap(Self.number)
    let time = delay.map { String(nanoseconds: $0.nanoseconds) }
    let words = [error.map { SystemError.name($0) ?? "errno \($0)" }, time].compactMap(\.self)
    return InjectedFault(
      error: error, delay: delay?.nanoseconds ?? 0, choice,
      title: words.joined(separator: " after "))
  }

  private static func number(_ text: String) -> Int32? {
    // The kernel returns no higher ones.
    if let number = Int32(text) { return (1..<4_096).contains(number) ? number : nil }
    let name = text.uppercased()
    return names[name] ?? (1..<134).first { SystemError.name($0) == name }
  }

  /// Further names of numbers.
  private static let names: [String: Int32] = [
    "EWOULDBLOCK": EAGAIN, "ENOTSUP": EOPNOTSUPP, "EDEADLOCK": EDEADLK,
  ]

  /// Functions that never return, whose callers do not expect a failure.
  private static let endings: Set = [
    "_Exit", "__libc_start_main", "_exit", "abort", "err", "errx", "exit", "longjmp",
    "pthread_exit", "quick_exit", "siglongjmp", "thrd_exit", "verr", "verrx",
  ]

  /// Checks that calls of a function can get the fault.
  ///
  /// - Throws: `typeMismatch`.
  func check(_ function: String) throws(Failure) {
    guard fail != nil, Self.endings.contains(function) else { return }
    throw Failure(
      code: "typeMismatch",
      message: "\(function) does not return, so its calls cannot fail; let a function fail that "
        + "decides whether it is called")
  }
}
#endif
