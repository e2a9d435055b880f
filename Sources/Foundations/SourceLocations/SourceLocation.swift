private import BlockRuntimeErrors
@_exported public import CodeSymbols

/// Where code was written: a file and a line.
public struct SourceLocation: Hashable, Sendable {
  /// The path of the file, as the compiler was told.
  public let file: String

  /// The number of the line, from 1; 0 for code that the compiler made.
  public let line: Int

  /// The number of the column, from 1; 0 if it is not known.
  public let column: Int

  /// Reads what the symbolizer prints: the path, the line and the column, after colons.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count > 2, let line = Int(parts[parts.count - 2]) else { return nil }
    file = parts.dropLast(2).joined(separator: ":")
    guard file != "??", !file.isEmpty else { return nil }
    self.line = line
    column = Int(parts[parts.count - 1]) ?? 0
  }
}

extension SourceLocation: CustomStringConvertible {
  /// The file's name without its folders, and the line: `Session.swift:7`.
  public var description: String { "\(file.fileName):\(line)" }
}

extension CodeSymbol {
  /// Finds where the code was written, by the debug information of its image.
  ///
  /// This starts the program `llvm-symbolizer` and waits for its answer, for tenths of a second if
  /// the image is large. `Sequence.locations()` starts one process for many symbols. The
  /// corresponding command is `addr2line`.
  ///
  /// ```swift
  /// person.observe(\.address, options: .origin) { _, change in
  ///   if let place = try change.origin?.symbol?.location() { print("set at", place) }
  /// }
  /// ```
  ///
  /// - Returns: The location; nil if the image has no debug information for the code, or if its
  ///   file is another one now. The location of inlined code is in the inlined function.
  /// - Throws: `SourceLocationError`: `noSymbolizer` if there is no such program.
  @available(*, noasync, message: "it waits for a process")
  public func location() throws(SourceLocationError) -> SourceLocation? {
    try [self].locations()[0]
  }
}

extension Sequence<CodeSymbol> {
  /// Finds where code was written, by one process for all.
  ///
  /// - Returns: The locations, one for each symbol; nil as for `CodeSymbol.location()`.
  /// - Throws: `SourceLocationError`: `noSymbolizer` if there is no such program.
  @available(*, noasync, message: "it waits for processes")
  public func locations() throws(SourceLocationError) -> [SourceLocation?] {
    var symbolizer: Symbolizer?
    var locations: [SourceLocation?] = []
    for symbol in self {
      let started = if let symbolizer { symbolizer } else { try Symbolizer() }
      symbolizer = started
      locations.append(try started.locations(of: symbol.place).first)
    }
    return locations
  }
}
