import TestSupport
import TypeEncodings
import XCTest

/// Generated declarations: what clang encodes, and what the library reads from the same text.
final class DeclarationOracleTests: XCTestCase {
  func testGeneratedTypesAreReadAsClangReadsThem() throws {
    let compiler = try Compiler()
    var report = OracleReport()
    let all = max(OracleSettings.typeCount, OracleSettings.declarationCount)
    for (count, seed) in OracleSettings.batches(of: all, limit: 50) {
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
          // What a record without members' names has, `offsetof` cannot ask for.
          let places = zip(layout.places, row.places).contains { $1 != nil && $1 != $0 }
          if !row.hasUnnamedBits, places || layout.places.count != row.places.count {
            report.addDifference("\(told): members at \(layout.places), clang \(row.places)")
          }
        } catch {
          report.addRefusal(error.code.rawValue, of: row.encoding)
        }
      }
    }
    report.print("declaration oracle: \(all) types")
    XCTAssert(report.isClean, report.failure)
  }

  func testGeneratedRecordsThatAttributesLayOutAreRefusedByName() throws {
    var random = SeededGenerator(seed: OracleSettings.seed)
    var (definitionCount, refusedCount) = (0, 0)
    // Each record is read after those before it.
    for (count, seed) in OracleSettings.batches(of: OracleSettings.declarationCount / 2, limit: 50)
    {
      let program = CProgram(count: count, seed: seed, sizeLimit: 100)
      definitionCount += program.definitions.count
      refusedCount += refusedRecords(of: program, &random)
    }
    XCTAssertGreaterThan(refusedCount, definitionCount / 2)
  }

  /// Checks that records are refused which get an attribute.
  ///
  /// - Returns: How many are refused for the attribute.
  private func refusedRecords(of program: CProgram, _ random: inout SeededGenerator) -> Int {
    var (types, count) = (CProgram.ownTypes, 0)
    for record in program.definitions {
      defer {
        if (try? TypeEncoding(declaration: types + record.definition + "int")) != nil {
          types += record.definition
        }
      }
      let attribute = Bool.random(using: &random) ? "packed" : "aligned(2)"
      let written = "__attribute__((\(attribute)))"
      let head = "\(record.keyword) \(record.tag ?? "")"
      let body = record.definition.dropFirst(head.count)
      let brace = body.lastIndex(of: "}") ?? body.startIndex
      let texts = [
        "\(record.keyword) \(written) \(record.tag ?? "")\(body)",
        "\(head)\(body[..<brace])} \(written);",
        "\(head)\(body[..<brace])int last \(written); };",
      ]
      let text = types + (texts.randomElement(using: &random) ?? "")
      XCTAssertThrowsError(try TypeEncoding(declaration: text), text) { error in
        // What a refused record has as a member is refused before the attribute.
        guard let error = error as? TypeEncodingError, error.code == .unsupportedDeclaration
        else { return }
        count += 1
        XCTAssertTrue(error.message.contains(attribute.prefix { $0 != "(" }), "\(error)")
      }
    }
    return count
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
      let again = try TypeEncoding(declaration: written)
      // Of an array of records whose members nothing tells, C has only the address.
      if declared.description.contains(/\[\d+{pair}\]/) {
        XCTAssertEqual(try again.layout().size, size(index), written)
      } else {
        XCTAssertEqual(again, declared, written)
      }
    }
  }
}
