// GLib bound by type encodings: neither its headers nor a Swift module of it is needed.
import BlockRuntime

// SAFETY, for the whole file: the signatures are those of GLib's documentation. A main loop's
// functions may be called from any thread. GLib gives up each reference that it was given, by
// `release`.

/// What the example needs of the library.
struct GLib {
  private let newLoop, runLoop, quitLoop, unrefLoop: CFunction
  private let newSource, attachSource, unrefSource: CFunction
  private let addIdle, addTimeout: CFunction

  /// GLib's `GDestroyNotify`: the data is a reference to a function pointer.
  private let release: FunctionPointer

  init(library: String = "libglib-2.0.so.0") throws {
    func bind(_ symbol: String, _ signature: String) throws -> CFunction {
      try unsafe CFunction(symbol: symbol, library: library, signature: signature)
    }
    newLoop = try bind("g_main_loop_new", "^v^vi")
    runLoop = try bind("g_main_loop_run", "v^v")
    quitLoop = try bind("g_main_loop_quit", "v^v")
    unrefLoop = try bind("g_main_loop_unref", "v^v")
    newSource = try bind("g_source_new", "^v^vI")
    attachSource = try bind("g_source_attach", "I^v^v")
    unrefSource = try bind("g_source_unref", "v^v")
    addIdle = try bind("g_idle_add_full", "Ii^?^v^?")
    addTimeout = try bind("g_timeout_add_full", "IiI^?^v^?")
    release = try FunctionPointer(signature: "v^v") { call in
      unsafe Unmanaged<FunctionPointer>.fromOpaque(try call.argument(0)).release()
    }
  }

  /// A main loop of the default context.
  @safe
  final class MainLoop: @unchecked Sendable {
    private let glib: GLib
    private let address: UnsafeMutableRawPointer

    fileprivate init(_ glib: GLib) throws {
      self.glib = glib
      unsafe address = unsafe try glib.newLoop(nil as UnsafeRawPointer?, 0)
    }

    func run() throws { unsafe try glib.runLoop(address) }

    func quit() throws { unsafe try glib.quitLoop(address) }

    deinit { try? unsafe glib.unrefLoop(address) }
  }

  func makeLoop() throws -> MainLoop { try MainLoop(self) }

  /// Runs a closure whenever nothing else is to be done, until it returns false.
  func whenIdle(_ body: @escaping @Sendable () throws -> Bool) throws {
    try unsafe add(body) { function, data in
      _ = unsafe try addIdle(200, function, data, release, returning: UInt32.self)
    }
  }

  /// Runs a closure again and again, until it returns false.
  func every(milliseconds: Int, _ body: @escaping @Sendable () throws -> Bool) throws {
    try unsafe add(body) { function, data in
      _ = unsafe try addTimeout(
        0, milliseconds, function, data, release, returning: UInt32.self)
    }
  }

  /// Passes a closure on as a function, with the reference that GLib is to give up.
  private func add(
    _ body: @escaping @Sendable () throws -> Bool,
    to source: (FunctionPointer, UnsafeMutableRawPointer) throws -> Void
  ) throws {
    let function = try FunctionPointer(signature: "i^v") {
      try $0.setResult(Int32(body() ? 1 : 0))
    }
    let reference = unsafe Unmanaged.passRetained(function)
    do { try unsafe source(function, reference.toOpaque()) } catch {
      // GLib never got it.
      unsafe reference.release()
      throw error
    }
  }

  /// Adds an event source, which the loop asks before and after each wait.
  ///
  /// It ends when `dispatch` returns false.
  func addSource(
    isReady: @escaping @Sendable () -> Bool, dispatch: @escaping @Sendable () throws -> Bool
  ) throws {
    let functions = try SourceFunctions(isReady, dispatch)
    // GLib's own structure, with nothing behind it.
    let sizeOfSource = 96
    let source = unsafe try newSource(
      functions.table, sizeOfSource, returning: UnsafeMutableRawPointer.self)
    _ = unsafe try attachSource(source, nil as UnsafeRawPointer?, returning: UInt32.self)
    // The loop has a reference of its own.
    unsafe try unrefSource(source)
  }
}

/// GLib's `GSourceFuncs`, made of closures; it keeps itself until its source is finalised.
@safe
private final class SourceFunctions: Sendable {
  /// `prepare`, `check`, `dispatch`, `finalize`, and two that GLib uses itself.
  nonisolated(unsafe) let table = UnsafeMutablePointer<UnsafeRawPointer?>.allocate(capacity: 6)
  private let functions: [FunctionPointer]

  init(
    _ isReady: @escaping @Sendable () -> Bool, _ dispatch: @escaping @Sendable () throws -> Bool
  ) throws {
    functions = [
      try FunctionPointer(signature: "i^v^i") { try $0.setResult(isReady() ? 1 : 0) },
      try FunctionPointer(signature: "i^v") { try $0.setResult(isReady() ? 1 : 0) },
      try FunctionPointer(signature: "i^v^?^v") { try $0.setResult(dispatch() ? 1 : 0) },
    ]
    unsafe table.initialize(repeating: nil, count: 6)
    for index in functions.indices { unsafe table[index] = functions[index].unsafeAddress }
    // The closure keeps the object, and goes when it has run.
    unsafe table[functions.count] = try FunctionPointer.makeOneShot(signature: "v^v") { [self] _ in
      withExtendedLifetime(self) {}
    }
  }

  deinit { unsafe table.deallocate() }
}
