private import BlockRuntimeErrors
private import CCallTracing.TraceSwitch

/// The switch of a trace that begins idle, which its programs share with the process that collects
/// it.
@safe
package final class TraceSwitch: Sendable {
  /// What programs do.
  package enum Position: UInt32, Sendable {
    /// No slot is replaced, and nothing is recorded.
    case idle
    /// They are traced.
    case tracing
    /// No slot is replaced; blocks that were sent before are still recorded when they run.
    case finishing
  }

  // SAFETY: the memory stays mapped while this object lives; the C functions access it with atomic
  // operations.
  nonisolated(unsafe) private let control: OpaquePointer

  /// Makes the switch of a trace, which is idle.
  ///
  /// - Parameter directory: The trace's directory.
  /// - Throws: `outputUnavailable`.
  package init(of directory: TraceDirectory) throws(TraceError) {
    var made: OpaquePointer?
    let error = unsafe cbr_trace_switch_create(Self.path(in: directory.path), &made)
    guard error == 0, let made = unsafe made else {
      let reason = SystemError.text(error)
      throw TraceError(
        .outputUnavailable,
        "no switch in \(directory.path): \(reason); set TMPDIR to where there is room")
    }
    unsafe control = unsafe made
  }

  deinit { unsafe cbr_trace_switch_close(control) }

  /// The path of the file that programs map.
  private static func path(in directory: String) -> String { "\(directory)/\(name)" }

  /// The file's name.
  package static let name = "switch"

  // MARK: - The collecting process

  /// Turns the switch.
  ///
  /// - Returns: How many processes were told of it.
  package func turn(to position: Position) -> Int {
    unsafe Int(cbr_trace_switch_turn(control, position.rawValue))
  }

  /// How many processes have done what the switch asks since it was turned.
  package var answerCount: Int { unsafe Int(cbr_trace_switch_answers(control)) }

  /// How many processes could not do it.
  package var failureCount: Int { unsafe Int(cbr_trace_switch_failures(control)) }

  /// Whether any program has ever waited for the switch.
  package var hasListeners: Bool { unsafe cbr_trace_switch_listeners(control) > 0 }

  // MARK: - Programs

  /// Lets a thread of this process, and one of each fork, wait until a trace's switch is turned.
  ///
  /// - Parameters:
  ///   - directory: The trace's directory.
  ///   - listener: Does what the switch asks; it is never released.
  /// - Throws: `outputUnavailable`.
  package static func listen(
    in directory: String, _ listener: any TraceSwitchListener
  ) throws(TraceError) {
    var opened: OpaquePointer?
    var error = unsafe cbr_trace_switch_open(path(in: directory), &opened)
    if error == 0, let opened = unsafe opened {
      let kept = unsafe Unmanaged.passRetained(Kept(listener)).toOpaque()
      let functions = unsafe cbr_trace_listener(
        context: UnsafeRawPointer(kept),
        turn: { context, position in
          unsafe Kept.at(context).turn(to: Position(rawValue: position) ?? .idle)
        },
        is_collected: { unsafe Kept.at($0).isCollected })
      // The mapping stays: it keeps the directory from becoming another trace's.
      error = unsafe cbr_trace_listen(opened, functions)
    }
    guard error != 0 else { return }
    let reason = SystemError.text(error)
    throw TraceError(
      .outputUnavailable,
      "it cannot listen to the switch in \(directory): \(reason); trace without --start-idle")
  }

  /// A listener behind an address.
  private final class Kept: Sendable {
    private let listener: any TraceSwitchListener

    init(_ listener: any TraceSwitchListener) { self.listener = listener }

    static func at(_ address: UnsafeRawPointer) -> any TraceSwitchListener {
      unsafe Unmanaged<Kept>.fromOpaque(address).takeUnretainedValue().listener
    }
  }
}

/// What does in a traced program as a switch asks.
package protocol TraceSwitchListener: Sendable {
  /// Does what the switch asks, and returns whether it could; called by one thread at a time.
  func turn(to position: TraceSwitch.Position) -> Bool

  /// Whether the trace is still collected.
  var isCollected: Bool { get }
}
