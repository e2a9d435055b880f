internal import CSymbolInterposing.ImportSlots

/// The slots of the objects that are loaded.
@safe
enum LoadedSlots {
  // SAFETY: a slot's pointers live as long as its object, and slots are used under the lock of the
  // list of objects only.

  /// Calls `body` for each slot of a symbol, or of all symbols, while all objects stay loaded.
  static func visit(_ symbol: String?, _ body: (cbr_import_slot) -> Void) {
    // SAFETY: the context is the closure `body`, which lives during the call.
    unsafe withContext(body) { context in
      let visit: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<cbr_import_slot>) -> Void =
        { context, slot in
          unsafe context?.assumingMemoryBound(to: ((cbr_import_slot) -> Void).self)
            .pointee(slot.pointee)
        }
      unsafe cbr_visit_import_slots(symbol, context, visit)
    }
  }

  /// Calls `body` while no object is loaded or unloaded.
  static func keepingLoaded(_ body: () -> Void) {
    // SAFETY: as above.
    unsafe withContext({ (_: cbr_load_counts) in body() }) { context in
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
