private import BlockRuntimeThreads
internal import CSymbolInterposing.ImportSlots

/// The slots of symbols that were looked up, valid until an object is loaded or unloaded.
///
/// A search through all objects takes some milliseconds.
@safe
enum SlotCache {
  // SAFETY: a slot's pointers live as long as its object, and slots are used under the loader's
  // lock only, of entries whose counts say that no object was unloaded.

  @safe
  private struct Entry {
    // SAFETY: immutable; the slots' pointers are followed under the loader's lock only.
    let counts: cbr_load_counts
    let slots: [cbr_import_slot]
  }

  private static let limit = 64
  private static let entries = Locked<[String: Entry]>([:])

  /// Calls `body` for each slot of a symbol, or of all symbols, and then `end`, under the loader's
  /// lock.
  static func visit(
    _ symbol: String?, _ body: (cbr_import_slot) -> Void, whileLoaded end: () -> Void = {}
  ) {
    withLoadedObjects { counts in
      if let symbol {
        unsafe slots(of: symbol, counts).forEach { unsafe body($0) }
      } else {
        unsafe scan(nil, body)
      }
      end()
    }
  }

  private static func slots(of symbol: String, _ counts: cbr_load_counts) -> [cbr_import_slot] {
    if let entry = entries.withLock({ $0[symbol] }), entry.counts.loaded == counts.loaded,
      entry.counts.unloaded == counts.unloaded
    {
      return unsafe entry.slots.map { slot in
        var slot = unsafe slot
        unsafe cbr_read_slot(&slot)
        return unsafe slot
      }
    }
    var slots: [cbr_import_slot] = unsafe []
    unsafe scan(symbol) { unsafe slots.append($0) }
    let entry = unsafe Entry(counts: counts, slots: slots)
    let dropped = entries.withLock { entries in
      let dropped = entries.count < limit ? [:] : entries
      if entries.count >= limit { entries = [:] }
      entries[symbol] = entry
      return dropped
    }
    withExtendedLifetime(dropped) {}
    return unsafe slots
  }

  private static func scan(_ symbol: String?, _ body: (cbr_import_slot) -> Void) {
    // SAFETY: the context is the closure `body`, which lives during the call.
    unsafe withContext(body) { context in
      let visit: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<cbr_import_slot>) -> Void =
        { context, slot in
          unsafe context?.assumingMemoryBound(to: ((cbr_import_slot) -> Void).self)
            .pointee(slot.pointee)
        }
      if let symbol {
        unsafe cbr_visit_import_slots(symbol, context, visit)
      } else {
        unsafe cbr_visit_import_slots(nil, context, visit)
      }
    }
  }

  private static func withLoadedObjects(_ body: (cbr_load_counts) -> Void) {
    // SAFETY: as above.
    unsafe withContext(body) { context in
      unsafe cbr_with_loaded_objects(context) { context, counts in
        unsafe context?.assumingMemoryBound(to: ((cbr_load_counts) -> Void).self).pointee(counts)
      }
    }
  }

  /// Calls `body` with the address of a closure, which is valid during that call.
  private static func withContext<Argument>(
    _ closure: (Argument) -> Void, _ body: (UnsafeMutableRawPointer) -> Void
  ) {
    withoutActuallyEscaping(closure) { closure in
      var closure = closure
      unsafe withUnsafeMutablePointer(to: &closure) { unsafe body(UnsafeMutableRawPointer($0)) }
    }
  }
}
