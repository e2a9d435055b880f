/// What a program that is traced from outside is told, in one variable of its environment.
///
/// The text is a line for each setting, `name=value`.
package struct TraceSettings: Hashable, Sendable {
  /// The variable's name.
  package static let variable = "BLOCK_TRACER"

  /// Where streams are put.
  package var directory: String

  /// How many bytes of calls wait for the reader.
  package var capacity = TraceStreamWriter.defaultCapacity

  /// Whether programs that the traced one starts, or goes on with, are traced too.
  package var followsPrograms = true

  /// The C function whose calls are traced; nil for those of all blocks.
  package var function: String?

  /// Its type encoding.
  package var functionSignature = ""

  /// The library that defines it; nil for whichever does.
  package var library: String?

  /// Patterns of the images of the blocks' code, or of those that call the function; all, if there are
  /// none.
  package var images: [String] = []

  /// Patterns of images that are left out.
  package var excludedImages: [String] = []

  /// Patterns of the names of the blocks' functions; all, if there are none.
  package var symbols: [String] = []

  /// Patterns of names that are left out.
  package var excludedSymbols: [String] = []

  /// Patterns of the blocks' signatures; all, if there are none.
  package var signatures: [String] = []

  /// Patterns of the labels of the queues that calls run on; all, if there are none.
  package var queues: [String] = []

  private static let lists:
    [(name: String, list: any (WritableKeyPath<Self, [String]> & Sendable))] = [
      ("image", \.images), ("exclude-image", \.excludedImages), ("symbol", \.symbols),
      ("exclude-symbol", \.excludedSymbols), ("signature", \.signatures), ("queue", \.queues),
    ]

  /// Creates settings that trace everything.
  ///
  /// - Parameter directory: Where streams are put.
  package init(directory: String) { self.directory = directory }

  /// Reads the settings; nil where there are none, or none that this version understands.
  ///
  /// - Parameter text: What the variable holds.
  package init?(_ text: String) {
    self.init(directory: "")
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, set(String(parts[0]), String(parts[1])) else { return nil }
    }
    guard !directory.isEmpty else { return nil }
  }

  private mutating func set(_ name: String, _ value: String) -> Bool {
    switch name {
    case "directory": directory = value
    case "capacity":
      guard let number = Int(value) else { return false }
      capacity = number
    case "follow": followsPrograms = value == "yes"
    case "function": function = value
    case "function-signature": functionSignature = value
    case "library": library = value
    default:
      guard let list = Self.lists.first(where: { $0.name == name })?.list else { return false }
      self[keyPath: list].append(value)
    }
    return true
  }

  /// The settings as the variable holds them; no value may have an end of line in it.
  package var text: String {
    var lines = ["directory=\(directory)", "capacity=\(capacity)"]
    lines.append("follow=\(followsPrograms ? "yes" : "no")")
    if let function {
      lines += ["function=\(function)", "function-signature=\(functionSignature)"]
    }
    if let library { lines.append("library=\(library)") }
    for (name, list) in Self.lists { lines += self[keyPath: list].map { "\(name)=\($0)" } }
    return lines.joined(separator: "\n")
  }
}
