internal import BlockRuntimeThreads

extension KeyValueObservation {
  /// Makes this the observation of several values; the observation of each value is a part of it.
  func beginParts() { state.withLock { $0.parts = [:] } }

  /// Adds a part, which is removed and suspended with this observation.
  func add(_ part: KeyValueObservation) {
    let isAdded = state.withLock { state in
      state.parts?.updateValue(part, forKey: ObjectIdentifier(part))
      return state.parts != nil
    }
    guard isAdded else {
      part.remove()
      return
    }
    part.attach { [weak self] part in
      let forgotten = self?.state.withLock {
        $0.parts?.removeValue(forKey: ObjectIdentifier(part))
      }
      withExtendedLifetime(forgotten) {}
    }
    align(part)
  }

  /// The parts, in the order of registration.
  var parts: [KeyValueObservation] {
    state.withLock { $0.parts.map { Array($0.values) } ?? [] }.sorted { $0.number < $1.number }
  }

  /// Makes a part suspended if this observation is, also while other threads suspend and resume it.
  func align(_ part: KeyValueObservation, tellingLast: Bool = false) {
    var isSuspended: Bool
    repeat {
      isSuspended = self.isSuspended
      if isSuspended { part.suspend() } else { part.resume(tellingLast: tellingLast) }
    } while isSuspended != self.isSuspended
  }
}
