internal import BlockABI
internal import CBlockTracer
internal import CallTracing
private import Glibc
internal import Invocations
internal import SymbolInterposing
internal import TracerStart

/// Counts and times the calls of Swift functions of modules that are built with implicit dynamic.
///
/// Such a function first asks the runtime for its replacement, with the address of its *entry*, a
/// variable of two words: the function, and a list of replacements. The entry's symbol is that of
/// the function with `TX` behind it. `SwiftCalls.c` takes the runtime's place.
enum SwiftCalls {
  typealias Refusal = SwiftCallRefusal

  private struct Entry {
    let address: UInt
    let function: CountedCalls.Function
    /// What the patterns match: the function with its module, and its demangled name.
    let names: [String]

    /// Whether it is an accessor that yields, and goes on where its caller continues it.
    var isCoroutine: Bool {
      [".modify", ".read", ".modify2", ".read2"].contains { accessor in
        names.first?.contains("\(accessor) : ") == true
      }
    }
  }

  private static let question = "swift_getFunctionReplacement"
  private static let entryEnding = "TX"
  private static let buildFlags = "-Xswiftc -Xfrontend -Xswiftc -enable-implicit-dynamic"

  /// Counts the calls of the functions whose names match a pattern, until the process ends.
  ///
  /// - Parameters:
  ///   - settings: The patterns of the functions that are counted, and of those that are timed,
  ///     too: shell patterns of names such as `Shop.Cart.add`; and where the counts are read.
  ///   - tracer: Receives the calls that are timed.
  /// - Throws: `noEntries`, `noSymbols`, `unknownEntries`, `noSuchFunction`, `tooManyFunctions`,
  ///   `noDurations`, `noExecutableMemory`, `outputUnavailable`.
  static func count(_ settings: TraceSettings, _ tracer: Tracer) throws(Refusal) {
    let entries = try allEntries()
    let selected = try select(
      settings.swiftCalls + settings.swiftDurations, of: entries, limit: CountedCalls.functionLimit)
    let timed = try time(
      select(settings.swiftDurations, of: entries, limit: TimedFunction.limit), tracer)
    var size = 16
    while size < 2 * selected.count { size *= 2 }
    // The tables stay until the process ends, as the counters do.
    // SAFETY: all of the memory is initialised here, and the addresses of entries are only compared
    // later.
    let table = UnsafeMutablePointer<UnsafeRawPointer?>.allocate(capacity: size)
    unsafe table.initialize(repeating: nil, count: size)
    let timing = UnsafeMutablePointer<UnsafePointer<cbr_timed_function>?>.allocate(capacity: size)
    unsafe timing.initialize(repeating: nil, count: size)
    var functions: [(place: Int, function: CountedCalls.Function)] = []
    for entry in selected {
      guard let address = unsafe UnsafeRawPointer(bitPattern: entry.address) else { continue }
      var place = unsafe Int(cbr_place_of_entry(address) & UInt64(size - 1))
      while unsafe table[place] != nil { place = (place + 1) & (size - 1) }
      unsafe table[place] = unsafe address
      unsafe timing[place] = unsafe timed[entry.address].map { unsafe UnsafePointer($0.target) }
      functions.append((place, entry.function))
    }
    do throws(TraceError) {
      let counted = try CountedCalls(
        directory: settings.directory, size: size, functions: functions)
      // SAFETY: the table has a place that is free, and the tables and the counters stay.
      unsafe cbr_count_swift_calls(
        table, timed.isEmpty ? nil : timing, UInt64(size), counted.counters,
        UInt64(CountedCalls.setCount))
    } catch {
      throw Refusal(code: error.code.rawValue, message: error.message)
    }
  }

  /// The entries of the program and its libraries.
  private static func allEntries() throws(Refusal) -> [Entry] {
    let slots = ImportSlot.all(of: question, in: ImageFilter(excludesOwnImage: true))
    guard !slots.isEmpty else {
      throw Refusal(
        code: "noEntries",
        message: "no module of the program is built so that calls can be counted; build it with "
          + "swift build \(buildFlags)")
    }
    var entries: [Entry] = []
    for (image, slots) in Dictionary(grouping: slots, by: \.image) {
      // SAFETY: the address is only compared; no object is unloaded before the program begins.
      guard let slot = slots.first,
        let address = unsafe UnsafeRawPointer(bitPattern: slot.address)
      else { continue }
      let found = unsafe CodeSymbol.mangledNames(inImageOf: address, ending: entryEnding)
      for (address, symbols) in found {
        guard let symbol = symbols.first.map({ String($0.dropLast(entryEnding.count)) }),
          let name = CodeSymbol.demangled(symbol)
        else { continue }
        entries.append(
          Entry(
            address: address, function: CountedCalls.Function(symbol: symbol, image: image),
            names: [name] + (TracedName.withModule(name).map { [$0] } ?? [])))
      }
    }
    guard !entries.isEmpty else {
      throw Refusal(
        code: "noSymbols",
        message:
          "\(Set(slots.map(\.image)).sorted().joined(separator: ", ")) has no symbols of its "
          + "functions; do not strip it")
    }
    return entries
  }

  /// Times the functions that end where they return, by the addresses of their entries.
  ///
  /// An async function returns when it is suspended first, and a coroutine when it yields.
  private static func time(
    _ selected: [Entry], _ tracer: Tracer
  ) throws(Refusal) -> [UInt: TimedFunction] {
    var timed: [UInt: TimedFunction] = [:]
    for entry in selected where !entry.isCoroutine {
      // SAFETY: an entry has two words, and its image is loaded.
      guard let words = unsafe UnsafePointer<UInt>(bitPattern: entry.address),
        let code = unsafe UnsafeRawPointer(bitPattern: words[0]),
        unsafe CodeSymbol(at: code)?.mangledName == entry.function.symbol
      else { continue }
      do throws(InvocationError) {
        // SAFETY: an entry's first word that has the function's own symbol is its code; that of an
        // async function is its description. Objects with entries are not unloaded.
        timed[entry.address] = unsafe try TimedFunction(code, with: tracer)
      } catch {
        throw Refusal(code: error.code.rawValue, message: error.message)
      }
    }
    guard selected.isEmpty || !timed.isEmpty else {
      throw Refusal(
        code: "noDurations",
        message: "all functions that match are async, or accessors that yield, whose calls have no "
          + "durations here; count them with --swift-calls")
    }
    return timed
  }

  /// The known entries that match one of the patterns, each of which matches some.
  private static func select(
    _ patterns: [String], of entries: [Entry], limit: Int
  ) throws(Refusal) -> [Entry] {
    for pattern in patterns where !entries.contains(where: { matches($0, pattern) }) {
      let modules = Set(
        entries.compactMap { $0.names.last?.split(separator: ".").first.map { "\($0).*" } })
      throw Refusal(
        code: "noSuchFunction",
        message: "no function matches \(pattern); these have functions whose calls can be counted: "
          + modules.sorted().prefix(10).joined(separator: ", ")
          + "; build other modules with swift build \(buildFlags)")
    }
    let matching = entries.filter { entry in patterns.contains { matches(entry, $0) } }
    let selected = matching.filter(isKnown)
    if selected.isEmpty, let unknown = matching.first {
      throw Refusal(
        code: "unknownEntries",
        message:
          "the entry of \(unknown.names.last ?? unknown.function.symbol) is not as Swift 6.2 "
          + "and 6.3 make it; build the program with one of these")
    }
    guard selected.count <= limit else {
      throw Refusal(
        code: "tooManyFunctions",
        message: "\(selected.count) functions match \(patterns.joined(separator: ", ")); give a "
          + "pattern that at most \(limit) match")
    }
    return selected
  }

  private static func matches(_ entry: Entry, _ pattern: String) -> Bool {
    // SAFETY: the strings are null-terminated for the duration of the call.
    entry.names.contains { unsafe fnmatch(pattern, $0, 0) == 0 }
  }

  /// Whether an entry is what compilers are known to make: the function, and no replacement; of an
  /// async function, its description (`Tu`).
  ///
  /// The variables of replacements have such symbols, too; their functions do not ask.
  private static func isKnown(_ entry: Entry) -> Bool {
    // SAFETY: an entry has two words, and its image is loaded.
    guard let words = unsafe UnsafePointer<UInt>(bitPattern: entry.address) else { return false }
    let (code, replacements) = unsafe (words[0], words[1])
    let symbol = unsafe UnsafeRawPointer(bitPattern: code).flatMap { unsafe CodeSymbol(at: $0) }
    let isItself =
      symbol?.offset == 0 && symbol?.mangledName?.hasPrefix(entry.function.symbol) == true
    // The symbol of an async function's description may be in the file only, where data is not
    // looked up.
    let isAsync = symbol?.image != nil && entry.names.first?.contains(" async ") == true
    return isItself || isAsync || replacements != 0
  }
}
