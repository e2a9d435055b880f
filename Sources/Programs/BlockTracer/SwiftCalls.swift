internal import BlockABI
internal import CBlockTracer
internal import CallTracing
private import Glibc
internal import SymbolInterposing

/// Counts the calls of Swift functions of modules that are built with implicit dynamic.
///
/// Such a function first asks the runtime for its replacement, with the address of its *entry*, a
/// variable of two words: the function, and a list of replacements. The entry's symbol is that of
/// the function with `TX` behind it. `SwiftCalls.c` takes the runtime's place.
enum SwiftCalls {
  /// Why no calls are counted.
  struct Refusal: Error {
    let code: String
    let message: String
  }

  private struct Entry {
    let address: UInt
    let function: CountedCalls.Function
    /// What the patterns match: the function with its module, and its demangled name.
    let names: [String]
  }

  private static let asking = "swift_getFunctionReplacement"
  private static let ending = "TX"
  private static let flags = "-Xswiftc -Xfrontend -Xswiftc -enable-implicit-dynamic"

  /// Counts the calls of the functions whose names match a pattern, until the process ends.
  ///
  /// - Parameters:
  ///   - patterns: Shell patterns of names such as `Shop.Cart.add`.
  ///   - directory: Where the counts are read.
  /// - Throws: `noEntries`, `noSymbols`, `unknownEntries`, `noSuchFunction`, `tooManyFunctions`,
  ///   `outputUnavailable`.
  static func count(_ patterns: [String], in directory: String) throws(Refusal) {
    let entries = try all()
    let selected = try select(patterns, of: entries)
    guard selected.count <= CountedCalls.functionLimit else {
      throw Refusal(
        code: "tooManyFunctions",
        message: "\(selected.count) functions match \(patterns.joined(separator: ", ")); give a "
          + "pattern that at most \(CountedCalls.functionLimit) match")
    }
    for entry in selected { try check(entry) }
    var size = 16
    while size < 2 * selected.count { size *= 2 }
    // The table stays until the process ends, as the counters do.
    // SAFETY: all of the memory is initialised here, and its addresses are only compared later.
    let table = UnsafeMutablePointer<UnsafeRawPointer?>.allocate(capacity: size)
    unsafe table.initialize(repeating: nil, count: size)
    var functions: [(place: Int, function: CountedCalls.Function)] = []
    for entry in selected {
      guard let address = unsafe UnsafeRawPointer(bitPattern: entry.address) else { continue }
      var place = unsafe Int(cbr_place_of_entry(address) & UInt64(size - 1))
      while unsafe table[place] != nil { place = (place + 1) & (size - 1) }
      unsafe table[place] = unsafe address
      functions.append((place, entry.function))
    }
    do throws(TraceError) {
      let counted = try CountedCalls(directory: directory, size: size, functions: functions)
      // SAFETY: the table has a place that is free, and it and the counters stay.
      unsafe cbr_count_swift_calls(
        table, UInt64(size), counted.counters, UInt64(CountedCalls.setCount))
    } catch {
      throw Refusal(code: error.code.rawValue, message: error.message)
    }
  }

  /// The entries of the program and its libraries.
  private static func all() throws(Refusal) -> [Entry] {
    let slots = ImportSlot.all(of: asking, in: ImageFilter(excludesOwnImage: true))
    guard !slots.isEmpty else {
      throw Refusal(
        code: "noEntries",
        message: "no module of the program is built so that calls can be counted; build it with "
          + "swift build \(flags)")
    }
    var entries: [Entry] = []
    for (image, slots) in Dictionary(grouping: slots, by: \.image) {
      // SAFETY: the address is only compared; no object is unloaded before the program begins.
      guard let slot = slots.first,
        let address = unsafe UnsafeRawPointer(bitPattern: slot.address)
      else { continue }
      let found = unsafe CodeSymbol.mangledNames(inImageOf: address, ending: ending)
      for (address, symbols) in found {
        guard let symbol = symbols.first.map({ String($0.dropLast(ending.count)) }),
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

  /// The entries that match one of the patterns, each of which matches some.
  private static func select(
    _ patterns: [String], of entries: [Entry]
  ) throws(Refusal) -> [Entry] {
    for pattern in patterns where !entries.contains(where: { matches($0, pattern) }) {
      let modules = Set(
        entries.compactMap { $0.names.last?.split(separator: ".").first.map { "\($0).*" } })
      throw Refusal(
        code: "noSuchFunction",
        message: "no function matches \(pattern); these have functions whose calls can be counted: "
          + modules.sorted().prefix(10).joined(separator: ", ")
          + "; build other modules with swift build \(flags)")
    }
    return entries.filter { entry in patterns.contains { matches(entry, $0) } }
  }

  private static func matches(_ entry: Entry, _ pattern: String) -> Bool {
    // SAFETY: the strings are null-terminated for the duration of the call.
    entry.names.contains { unsafe fnmatch(pattern, $0, 0) == 0 }
  }

  /// Checks that an entry is what compilers are known to make: the function, and no replacement;
  /// of an async function, its description (`Tu`).
  private static func check(_ entry: Entry) throws(Refusal) {
    // SAFETY: an entry has two words, and its image is loaded.
    guard let words = unsafe UnsafePointer<UInt>(bitPattern: entry.address) else { return }
    let (code, replacements) = unsafe (words[0], words[1])
    let symbol = unsafe UnsafeRawPointer(bitPattern: code).flatMap { unsafe CodeSymbol(at: $0) }
    let isKnown =
      symbol?.offset == 0 && symbol?.mangledName?.hasPrefix(entry.function.symbol) == true
    // The symbol of an async function's description may be in the file only, where data is not
    // looked up.
    let isAsync = symbol?.image != nil && entry.names.first?.contains(" async ") == true
    guard isKnown || isAsync || replacements != 0 else {
      throw Refusal(
        code: "unknownEntries",
        message:
          "the entry of \(entry.names.last ?? entry.function.symbol) is not as Swift 6.2 and "
          + "6.3 make it; build the program with one of these")
    }
  }
}
