internal import Invocations

/// Runs a hook's handler, in all its positions, in the calls that its conditions admit.
///
/// In the chain this is one instead-handler, so that a decision about a call holds until the call's
/// end.
final class ConditionalHandler: Sendable {
  private let definition: HookDefinition
  private let decisions: HookDecisions
  private let mark: HandlerMark

  /// Runs the after-part of a variadic call, which returns only after the handler has.
  private let afterwards: HookDefinition.Handler

  /// - Parameters:
  ///   - definition: The hook.
  ///   - state: The hook's state.
  ///   - surround: Adds what surrounds a handler where it is called.
  init(
    _ definition: HookDefinition, _ state: HookState,
    _ surround: (@escaping HookDefinition.Handler) -> HookDefinition.Handler
  ) {
    self.definition = definition
    let mark = state.mark
    self.mark = mark
    decisions = HookDecisions(definition.conditions, state)
    afterwards = surround { frame in
      if !mark.isRemoved { _ = Self.runPart(of: definition, .after, &frame) }
    }
  }

  func run(_ frame: inout CallFrame) throws {
    guard frame.position != .death else { return try definition.handler(&frame) }
    let isAdmitted = frame.decideOnce { frame in
      guard let admission = decisions.admission({ accepts(&frame, $0) }) else { return false }
      if let run = admission.run { frame.keepUntilEnd(run) }
      return true
    }
    guard isAdmitted, !mark.isRemoved else { return try frame.proceedAsItIs() }
    try runParts(&frame)
  }

  /// Runs the handler in the hook's positions; not inlined, to keep calls that skip it short.
  @inline(never)
  private func runParts(_ frame: inout CallFrame) throws {
    if definition.positions.contains(.before) { _ = Self.runPart(of: definition, .before, &frame) }
    let isReplaced =
      definition.positions.contains(.instead) && !mark.isRemoved
      && Self.runPart(of: definition, .instead, &frame)
    if !isReplaced { try frame.proceedAsItIs() }
    guard definition.positions.contains(.after) else { return }
    if frame.goesOn {
      frame.runAfterwards { [afterwards] in try? afterwards(&$0) }
    } else if !mark.isRemoved {
      _ = Self.runPart(of: definition, .after, &frame)
    }
  }

  /// Runs the handler in one position; an error is passed to `onError`.
  ///
  /// - Returns: False if the handler threw before it proceeded.
  private static func runPart(
    of definition: HookDefinition, _ position: CallFrame.Position, _ frame: inout CallFrame
  ) -> Bool {
    do throws(CallFrame.PartError) {
      _ = try frame.run(in: position, definition.handler)
      return true
    } catch {
      definition.onError(error.cause)
      return error.proceedCount > 0
    }
  }

  /// Evaluates a predicate; an error is passed to `onError`.
  private func accepts(_ frame: inout CallFrame, _ predicate: HookConditions.Predicate) -> Bool {
    var isAccepted = false
    do throws(CallFrame.PartError) {
      _ = try frame.run(in: .before) { frame in isAccepted = try predicate(&frame) }
    } catch {
      definition.onError(error.cause)
    }
    return isAccepted
  }
}
