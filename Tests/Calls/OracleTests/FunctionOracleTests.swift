import TestSupport
import TypeEncodings
import XCTest

/// Generated declarations of functions: what clang's syntax tree says, and what the library reads.
final class FunctionOracleTests: XCTestCase {
  private static let headers = """
    #include <dirent.h>
    #include <stdint.h>
    #include <sys/socket.h>
    #include <sys/types.h>
    #include <wchar.h>

    """

  func testGeneratedFunctionsAreReadAsClangReadsThem() throws {
    let compiler = try Compiler()
    var report = OracleReport()
    for (count, seed) in OracleSettings.batches(of: OracleSettings.declarationCount, limit: 1000) {
      let program = CProgram(count: 40, seed: seed, sizeLimit: 100)
      let types = program.readableDeclarations + CDeclaratorGenerator.declarations
      let records = program.definitions.map(\.spelling).filter {
        (try? TypeEncoding(declaration: types + $0).layout()) != nil
      }
      var generator = CDeclaratorGenerator(seed: seed, records: records)
      let texts = (0..<count).map { generator.function(named: "f_\($0)") }
      let tree = try SyntaxTree(
        of: Self.headers + types + texts.map { $0 + ";\n" }.joined(), compiler: compiler)
      let clangs = try ClangsFunctions(texts, tree, Self.headers + types, compiler)
      for (index, text) in texts.enumerated() {
        let told = "ORACLE_SEED=\(seed) \(text)"
        do throws(TypeEncodingError) {
          let declared = try CDeclaration(types + text)
          let clang = clangs.functions[index]
          guard let signature = declared.signature, declared.kind == .function else {
            report.addDifference("\(told): no function")
            continue
          }
          let encodings = [signature.result] + signature.arguments.map(\.encoding)
          let expected = try clang.encodings.map { (text) throws(TypeEncodingError) in
            try TypeEncoding(parsing: text).withoutMore
          }
          if declared.name != "f_\(index)" || encodings.map(\.withoutMore) != expected {
            report.addDifference("\(told): \(signature), clang \(clang.encodings)")
          }
          if declared.fixedArgumentCount != (clang.isVariadic ? expected.count - 1 : nil) {
            report.addDifference("\(told): \(declared.fixedArgumentCount ?? -1) are declared")
          }
          let sizes = try encodings.map { (encoding) throws(TypeEncodingError) in
            encoding.kind == .void ? 1 : try encoding.layout().size
          }
          if sizes != clang.sizes {
            report.addDifference("\(told): \(sizes), clang \(clang.sizes)")
          }
        } catch {
          report.addRefusal("\(error.code.rawValue): \(error.message)", of: text)
        }
      }
    }
    report.print("function oracle: \(OracleSettings.declarationCount) declarations")
    XCTAssert(report.isClean, report.failure)
  }
}

/// The encodings and sizes of what clang's syntax tree names: a function's result and parameters.
private struct ClangsFunctions {
  var functions: [(encodings: [String], sizes: [Int], isVariadic: Bool)] = []

  init(_ texts: [String], _ tree: SyntaxTree, _ types: String, _ compiler: Compiler) throws {
    let named = try texts.indices.map { try XCTUnwrap(tree.functions["f_\($0)"]) }
    func list(_ texts: [String]) -> String { texts.joined(separator: ", ") }
    var source = types
    for (index, function) in named.enumerated() {
      let values = function.parameters.map { "*(__typeof__(\($0)) *)0" }
      let result = "__typeof__(f_\(index)(\(list(values))))"
      let all = [result] + function.parameters.map { "__typeof__(\($0))" }
      source += """
        \(texts[index]);
        static const char *const e_\(index)[] = {\(list(all.map { "@encode(\($0))" }))};
        static const long s_\(index)[] = {\(list(all.map { "sizeof(\($0))" }))};

        """
    }
    source += """
      static const char *const *const e[] = {\(list(texts.indices.map { "e_\($0)" }))};
      static const long *const s[] = {\(list(texts.indices.map { "s_\($0)" }))};
      const char *oracle_encoding(long i, long j) { return e[i][j]; }
      long oracle_size(long i, long j) { return s[i][j]; }

      """
    let library = try compiler.load(source)
    // SAFETY: the types are those of the source above.
    let encoding = unsafe try library.function(
      "oracle_encoding", as: (@convention(c) (Int, Int) -> UnsafePointer<CChar>).self)
    let size = unsafe try library.function(
      "oracle_size", as: (@convention(c) (Int, Int) -> Int).self)
    functions = named.enumerated().map { index, function in
      let places = 0...function.parameters.count
      return (
        places.map { unsafe String(cString: encoding(index, $0)) }, places.map { size(index, $0) },
        function.isVariadic
      )
    }
  }
}
