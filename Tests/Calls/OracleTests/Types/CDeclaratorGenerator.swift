import TestSupport

/// Makes random types of pointers, arrays, functions and blocks, and declarations of functions: the
/// same ones from the same seed.
struct CDeclaratorGenerator {
  static let declarations = """
    struct pair { double x; int n; };
    enum color { red, green };

    """

  private var random: SeededGenerator
  private let bases: [String]

  /// Begins at a seed.
  ///
  /// - Parameters:
  ///   - seed: The source of all choices.
  ///   - records: Records that declarations name beside its own.
  init(seed: UInt64, records: [String] = []) {
    random = SeededGenerator(seed: seed)
    // As many as all other types, so that half of the values are records.
    bases = Self.bases + records.prefix(Self.bases.count)
  }

  mutating func next() -> String {
    declaration(of: "", depth: Int.random(in: 0...5, using: &random))
  }

  private static let bases = [
    "int", "unsigned char", "char", "const char", "long", "double", "struct pair",
    "const struct pair",
    "enum color", "_Bool", "float", "unsigned long long", "_Complex double", "__int128",
  ]

  /// A type around the declarator of a name.
  private mutating func declaration(of declarator: String, depth: Int) -> String {
    let base = bases.randomElement(using: &random) ?? "int"
    guard depth > 0 else { return "\(base) \(declarator)" }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return declaration(of: "*\(declarator)", depth: depth - 1)
    case 1: return declaration(of: "*const \(declarator)", depth: depth - 1)
    case 2: return declaration(of: "(*\(declarator))[\(depth)]", depth: depth - 1)
    case 3: return declaration(of: "(*\(declarator))(\(parameters(depth)))", depth: 0)
    default: return declaration(of: "(^\(declarator))(\(parameters(depth)))", depth: 0)
    }
  }

  private mutating func parameters(_ depth: Int) -> String {
    let count = Int.random(in: 0...2, using: &random)
    guard count > 0 else { return "void" }
    return (0..<count).map { _ in declaration(of: "", depth: min(depth - 1, 2)) }.joined(
      separator: ", ")
  }

  /// A declaration of a function, as headers write them.
  mutating func function(named name: String) -> String {
    var parameters = (0..<Int.random(in: 0...6, using: &random)).map { parameter($0) }
    if !parameters.isEmpty, Int.random(in: 0..<6, using: &random) == 0 { parameters.append("...") }
    let list = parameters.isEmpty ? "void" : parameters.joined(separator: ", ")
    let storage = ["", "extern ", "static inline "].randomElement(using: &random) ?? ""
    return storage
      + declaration(of: "\(name)(\(list))", depth: Int.random(in: 0...3, using: &random))
  }

  private static let platformTypes = [
    "size_t", "ssize_t", "pid_t", "socklen_t", "wchar_t", "uint8_t", "int_fast16_t", "off_t",
    "DIR *",
    "const char *restrict", "register int", "struct later *", "unsigned long int volatile",
  ]

  private mutating func parameter(_ index: Int) -> String {
    let name = Bool.random(using: &random) ? "p\(index)" : ""
    let depth = Int.random(in: 0...3, using: &random)
    switch Int.random(in: 0..<9, using: &random) {
    case 0: return "\(Self.platformTypes.randomElement(using: &random) ?? "int") \(name)"
    // Arrays and functions are pointers to them.
    case 1: return declaration(of: "\(name)[]", depth: 0)
    case 2: return declaration(of: "p\(index)[static \(depth + 1) * 2]", depth: 0)
    case 3: return declaration(of: "\(name)[const 3][\(depth + 1)]", depth: 0)
    case 4: return declaration(of: "p\(index)(\(self.parameters(1)))", depth: 0)
    case 5:
      return declaration(of: name, depth: depth) + " __attribute__((unused)) /* a comment */"
    default: return declaration(of: name, depth: depth)
    }
  }
}
