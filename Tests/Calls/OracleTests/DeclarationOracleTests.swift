import TestSupport
import TypeEncodings
import XCTest

/// Generated declarations: what clang encodes, and what the library reads from the same text.
final class DeclarationOracleTests: XCTestCase {
  func testGeneratedTypesAreReadAsClangReadsThem() throws {
    let compiler = try Compiler()
    var report = OracleReport()
    for (count, seed) in OracleSettings.batches(of: OracleSettings.typeCount, limit: 50) {
      let program = CProgram(count: count, seed: seed, sizeLimit: 200)
      let library = try LayoutLibrary(program, compiler: compiler)
      let declarations = program.readableDeclarations
      for (row, type) in zip(library.rows, program.types) {
        let told = "ORACLE_SEED=\(seed) \(row.declaration) \(row.encoding)"
        do throws(TypeEncodingError) {
          let declared = try TypeEncoding(declaration: declarations + type.declaration(of: "last"))
          let (layout, clangs) = (try declared.layout(), try TypeEncoding(parsing: row.encoding))
          if declared.withoutMore != clangs.withoutMore {
            report.addDifference("\(told): \(declared)")
          }
          if let written = declared.declaration(of: "name"),
            try TypeEncoding(declaration: written).withoutNames != declared.withoutNames
          {
            report.addDifference("\(told): written as \(written)")
          }
          if layout.size != row.size || layout.alignment != row.alignment {
            report.addDifference("\(told): \(layout.size) bytes, clang \(row.size)")
          }
        } catch {
          report.addRefusal(error.code.rawValue, of: row.encoding)
        }
      }
    }
    report.print("declaration oracle: \(OracleSettings.typeCount) types")
    XCTAssert(report.isClean, report.failure)
  }

  func testGeneratedDeclaratorsAreReadAsClangReadsThem() throws {
    var generator = CDeclaratorGenerator(seed: OracleSettings.seed)
    let types = (0..<OracleSettings.typeCount).map { _ in generator.next() }
    let rows = types.map { "{@encode(\($0)), sizeof(\($0))}," }.joined(separator: "\n")
    let library = try Compiler().load(
      """
      \(CDeclaratorGenerator.declarations)
      static const struct { const char *encoding; long size; } rows[] = {
      \(rows)
      };
      const char *oracle_encoding(long i) { return rows[i].encoding; }
      long oracle_size(long i) { return rows[i].size; }
      """)
    // SAFETY: the types are those of the source above.
    let encoding = unsafe try library.function(
      "oracle_encoding", as: (@convention(c) (Int) -> UnsafePointer<CChar>).self)
    let size = unsafe try library.function("oracle_size", as: (@convention(c) (Int) -> Int).self)
    for (index, type) in types.enumerated() {
      let declared = try TypeEncoding(declaration: CDeclaratorGenerator.declarations + type)
      let clangs = unsafe try TypeEncoding(parsing: String(cString: encoding(index)))
      XCTAssertEqual(
        declared.withoutNames.description, clangs.withoutNames.description, type)
      XCTAssertEqual(try declared.layout().size, size(index), type)
      let written = try XCTUnwrap(declared.declaration())
      XCTAssertEqual(try TypeEncoding(declaration: written), declared, written)
    }
  }
}

/// Makes random types of pointers, arrays, functions and blocks: the same ones from the same seed.
private struct CDeclaratorGenerator {
  static let declarations = """
    struct pair { double x; int n; };
    enum color { red, green };

    """

  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

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
    let base = Self.bases.randomElement(using: &random) ?? "int"
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
}

extension TypeEncoding {
  /// The encoding without what only declarations say: members' names and blocks' signatures.
  ///
  /// An incomplete record has no members.
  fileprivate var withoutNames: TypeEncoding {
    var copy = self
    switch type {
    case .pointer(let pointee): copy.type = .pointer(pointee.withoutNames)
    case .array(let count, let element):
      copy.type = .array(count: count, element: element.withoutNames)
    case .structure(let record): copy.type = .structure(record.withoutNames)
    case .union(let record): copy.type = .union(record.withoutNames)
    case .block: copy.type = .block(nil)
    default: break
    }
    return copy
  }

  /// The same without `const`, which clang leaves out of a typedef's encoding.
  fileprivate var withoutMore: TypeEncoding {
    var copy = withoutNames
    copy.qualifiers.removeAll { $0 == .const }
    return copy
  }
}

extension RecordEncoding {
  fileprivate var withoutNames: RecordEncoding {
    guard let fields, !fields.isEmpty else { return RecordEncoding(tag: tag, fields: nil) }
    return RecordEncoding(tag: tag, fields: fields.map { FieldEncoding($0.encoding.withoutNames) })
  }
}
