internal import Invocations
private import Synchronization

/// Runs a hook's handler, in all its positions, in the calls that its conditions admit.
///
/// In the chain it is one instead-handler: so a decision that is made before a call holds until the
/// call's end.
final class ConditionalHandler: Sendable {
  private let definition: HookDefinition
  private let runsLeft: Atomic<Int>
  private let runsEnded = Atomic(0)
  private let calls = Atomic<UInt64>(0)

  /// The hook; it lives while the handler can be called.
  private unowned let state: HookState

  init(_ definition: HookDefinition, _ state: HookState) {
    self.definition = definition
    self.state = state
    runsLeft = Atomic(definition.conditions.runs ?? 0)
  }

  func run(_ frame: inout CallFrame) throws {
    guard frame.position != .death else { return try definition.handler(&frame) }
    let isAdmitted = frame.decideOnce { frame in
      // The predicate may have removed the hook.
      admits(&frame) && !state.isRemoved && takeRun(&frame)
    }
    guard isAdmitted, !state.isRemoved else { return try frame.proceed() }
    if definition.positions.contains(.before) { _ = runPart(.before, &frame) }
    let isReplaced =
      definition.positions.contains(.instead) && !state.isRemoved && runPart(.instead, &frame)
    if !isReplaced { try frame.proceed() }
    if definition.positions.contains(.after), !state.isRemoved { _ = runPart(.after, &frame) }
  }

  /// Runs the handler in one position; an error is passed to `onError`.
  ///
  /// - Returns: False if it threw before it proceeded.
  private func runPart(_ position: CallFrame.Position, _ frame: inout CallFrame) -> Bool {
    do throws(CallFrame.PartError) {
      _ = try frame.run(in: position, definition.handler)
      return true
    } catch {
      definition.onError(error.cause)
      return error.proceedCount > 0
    }
  }

  private func admits(_ frame: inout CallFrame) -> Bool {
    let conditions = definition.conditions
    if let scope = conditions.scope, !scope() { return false }
    if let threads = conditions.threads, !threads.admitsCurrentThread { return false }
    if let predicate = conditions.predicate {
      var isAccepted = false
      do throws(CallFrame.PartError) {
        _ = try frame.run(in: .before) { frame in isAccepted = try predicate(&frame) }
      } catch {
        definition.onError(error.cause)
      }
      guard isAccepted else { return false }
    }
    guard conditions.interval > 1 || conditions.share < 1 else { return true }
    // Relaxed, here and below: only the numbers count.
    let number = calls.wrappingAdd(1, ordering: .relaxed).oldValue
    guard number % UInt64(conditions.interval) == 0 else { return false }
    return conditions.share == 1
      || Self.fraction(of: number / UInt64(conditions.interval)) < conditions.share
  }

  /// The element at an index of a fixed random sequence of numbers from 0 to 1, by SplitMix64.
  ///
  /// Specification: <https://doi.org/10.1145/2714064.2660195>.
  private static func fraction(of number: UInt64) -> Double {
    var bits = (number &+ 1) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((bits ^ (bits >> 31)) >> 11) * 0x1p-53
  }

  /// Takes one of the remaining runs, which ends with the call.
  ///
  /// - Returns: False if none was left.
  private func takeRun(_ frame: inout CallFrame) -> Bool {
    guard definition.conditions.runs != nil else { return true }
    var left = runsLeft.load(ordering: .relaxed)
    while left > 0 {
      let (isTaken, found) = runsLeft.compareExchange(
        expected: left, desired: left - 1, ordering: .relaxed)
      if isTaken {
        frame.keepUntilEnd(Run(self))
        return true
      }
      left = found
    }
    return false
  }

  /// One of a limited number of runs; it ends with its call.
  private final class Run {
    private let handler: ConditionalHandler

    init(_ handler: ConditionalHandler) { self.handler = handler }

    deinit { handler.endRun() }
  }

  /// Removes the hook when the last of its runs has ended.
  ///
  /// A run that is taken may not have reached its later positions, which a removal would skip.
  private func endRun() {
    guard let runs = definition.conditions.runs else { return }
    // The last run to end follows all others.
    if runsEnded.add(1, ordering: .acquiringAndReleasing).newValue == runs { state.remove() }
  }
}
