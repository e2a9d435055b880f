/// The calls of a program that are traced.
enum TraceRunSubject {
  /// The blocks, C functions of these names, and Swift functions that match these patterns.
  case blocks(areFiltered: Bool, functions: [String], _ swiftCalls: [String])
  /// A C function, and its other names.
  case functions([String])

  /// The title of a page with these calls, which a command made.
  func title(of command: String) -> String {
    switch self {
    case .blocks: command
    case .functions(let names): "Calls of \(names[0]): \(command)"
    }
  }

  /// The names of the C functions whose calls are traced.
  var functions: Set<String> {
    switch self {
    case .blocks(_, let functions, _), .functions(let functions): Set(functions)
    }
  }

  /// Why there may have been no calls.
  var remarkOnNothing: String {
    switch self {
    case .blocks(_, let functions, _) where !functions.isEmpty:
      "no call of a block was seen, nor of \(functions.joined(separator: ", ")): the program makes "
        + "none, or not through an import"
    case .blocks(areFiltered: true, _, _):
      "no call of a block was seen: the filters match none, or the program calls none that they "
        + "could"
    case .blocks(areFiltered: false, _, _):
      "no call of a block was seen: the program calls none, or only such as pass neither _Block_copy "
        + "nor libdispatch"
    case .functions(let names):
      "no call of \(names[0]) was seen: the program does not call it, or not through an import"
    }
  }
}
