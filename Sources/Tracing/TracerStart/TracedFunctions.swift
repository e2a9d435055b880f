internal import BlockHooks
private import BlockRuntimeThreads
internal import CallTracing
private import Glibc
private import Invocations
internal import QueueTracing
internal import SymbolInterposing

/// The C functions whose calls are traced: those that loaded objects have, and those that are
/// looked for whenever the program loads objects.
final class TracedFunctions: Sendable {
  private struct State: Sendable {
    var isOn = false
    var hooks = HookSet()

    /// The functions that no loaded object has yet.
    var missing: [TracedFunction] = []

    /// Why they are not traced.
    var refusals: [TracedFunction: TraceRefusal] = [:]
  }

  private let state: GatedLock<State>
  private let settings: TraceSettings
  private let tracer: Tracer
  private let stream: TraceStreamWriter
  private let mayEndProgram: Bool

  init(
    _ settings: TraceSettings, _ tracer: Tracer, _ stream: TraceStreamWriter, mayEndProgram: Bool
  ) {
    self.settings = settings
    self.tracer = tracer
    self.stream = stream
    self.mayEndProgram = mayEndProgram
    state = GatedLock(State(missing: TracedFunction.all(of: settings)))
  }

  /// Hooks the functions, or hooks them again.
  ///
  /// - Throws: As `ImportedFunction.hook`, of those that were hooked before.
  func start() throws(InterposingError) {
    let (hooks, missing) = state.withLock { state in
      state.isOn = true
      return (state.hooks, state.missing)
    }
    try hooks.resumeAll()
    for function in missing {
      do throws(InterposingError) { try install(function) } catch { refuse(error, function) }
    }
  }

  /// Stops the search for functions in objects that are loaded later.
  func stopSearching() {
    let isLooking = state.withLock { state in
      state.isOn = false
      return !state.missing.isEmpty
    }
    // Calls the waiting attempts once more: they see that the trace is off, and end.
    if isLooking { ImportedFunction.followLoadedObjects() }
  }

  /// Removes the hooks until the next start.
  func stop() { state.withLock { $0.hooks }.suspendAll() }

  private func install(_ function: TracedFunction) throws(InterposingError) {
    let hooks = try function.hooks(with: tracer, settings)
    let isOn = state.withLock { state in
      for hook in hooks { state.hooks.add(hook) }
      state.missing.removeAll { $0 == function }
      return state.isOn
    }
    // Another thread has stopped the trace meanwhile.
    if !isOn { for hook in hooks { hook.suspend() } }
  }

  /// Reports to the tracing command why a function cannot be traced.
  ///
  /// If the command started this program and the error cannot be mended, the program ends before
  /// it begins. Otherwise tracing is tried again whenever objects are loaded.
  private func refuse(_ error: InterposingError, _ function: TracedFunction) {
    // A library that is loaded without the function will not get it later.
    let mayBeLoaded =
      error.code == .libraryNotFound
      || settings.library == nil && [.symbolNotFound, .ambiguousSymbol].contains(error.code)
    let endsProgram =
      mayEndProgram && !(mayBeLoaded && Newcomers.arePossible(settings.followsPrograms))
    report(TraceRefusal(error, endsProgram: endsProgram), function)
    if endsProgram { _exit(127) }
    guard mayBeLoaded else { return }
    ImportedFunction.whenObjectsAreLoaded { [self] in
      guard state.withLock({ $0.isOn && $0.missing.contains(function) }) else { return true }
      do throws(InterposingError) { try install(function) } catch {
        report(TraceRefusal(error, endsProgram: false), function)
        return false
      }
      let others = state.withLock { state in
        state.refusals[function] = nil
        return state.refusals.values
      }
      stream.accept()
      for other in others { stream.refuse(other) }
      return true
    }
  }

  private func report(_ refusal: TraceRefusal, _ function: TracedFunction) {
    state.withLock { $0.refusals[function] = refusal }
    stream.refuse(refusal)
  }
}

/// A C function whose calls are traced.
private struct TracedFunction: Hashable, Sendable {
  let name: String
  let signature: String

  /// The functions that the command names.
  static func all(of settings: TraceSettings) -> [TracedFunction] {
    settings.functions.map { function in
      let parts = function.split(separator: "=", maxSplits: 1)
      return TracedFunction(
        name: String(parts.first ?? ""), signature: parts.count > 1 ? String(parts[1]) : "")
    }
  }

  /// Hooks the function.
  func hooks(with tracer: Tracer, _ settings: TraceSettings) throws(InterposingError) -> [Hook] {
    // The command's user vouches for the signature.
    let imported = try ImportedFunction(
      name, library: settings.library, interface: CallInterface.hooked(name, signature),
      in: ImageFilter(
        include: settings.images, exclude: settings.excludedImages,
        excludesOwnImage: !ImageFilter.containsLibraries))
    // The fault first: if the function cannot have it, nothing is installed.
    var hooks: [Hook] = []
    if let fault = settings.fault {
      hooks.append(try imported.install(fault.definition(recordedBy: tracer)))
    }
    do throws(InterposingError) {
      hooks.append(try imported.trace(with: tracer, callerCount: settings.callerCount))
    } catch {
      for hook in hooks { hook.remove() }
      throw error
    }
    return hooks
  }
}
