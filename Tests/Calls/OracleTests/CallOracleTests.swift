import Foundation
import Invocations
import TestSupport
import TypeEncodings
import XCTest

/// Generated functions and blocks: what they see and return when C calls them, and through us.
final class CallOracleTests: XCTestCase {
  func testGeneratedFunctionsAndBlocksSeeAndReturnTheSameThroughEveryRoute() throws {
    let compiler = try Compiler()
    let start = ContinuousClock.now
    var report = OracleReport()
    for (count, seed) in OracleSettings.batches(of: OracleSettings.signatureCount, limit: 300) {
      let program = CProgram(count: 150, seed: seed, sizeLimit: 100)
      let types = try LayoutLibrary(program, compiler: compiler).rows
      let callable = CallableTypes(program, types, &report)
      let signatures = CSignature.random(
        count: count, seed: seed, arguments: callable.arguments, results: callable.results,
        scalars: callable.scalars)
      let library = try CallLibrary(program, signatures, compiler: compiler)
      let declarations = program.readableDeclarations
      for index in signatures.indices {
        let call = CallCase(library, index, types: types)
        withExtendedLifetime(call.memory) {
          Self.compare(call, CallRoute.allCases, CallEngine.allCases, seed: seed, &report)
          if let declared = Self.declared(call, program, declarations, seed: seed, &report) {
            Self.compare(declared, [], CallEngine.allCases, seed: seed, &report)
          }
        }
        // What passes values on needs to know neither the declared types of bit-fields nor their places.
        let untyped = CallCase(library, index, types: types.map(\.withoutTypesOfBitFields))
        guard untyped.encoding != call.encoding else { continue }
        withExtendedLifetime(untyped.memory) {
          Self.compare(
            untyped, [.blockWithProceedingHook], CallEngine.allCases, seed: seed, &report)
        }
      }
    }
    report.print(
      "call oracle: seed \(OracleSettings.seed), \(OracleSettings.signatureCount) signatures, "
        + "\(CallEngine.allCases.count) engines, \(CallRoute.allCases.count) routes, "
        + "\(ContinuousClock.now - start)")
    XCTAssert(report.isClean, report.failure)
  }

  func testGeneratedFunctionsAndBlocksSeeAndReturnTheSameVectorsThroughEveryRoute() throws {
    try compareVectors(compiler: Compiler())
  }

  #if arch(x86_64)
  func testFunctionsThatWereCompiledForAVXTakeAndReturnTheSameVectors() throws {
    try compareVectors(abi: "avx", feature: "avx")
  }

  func testFunctionsThatWereCompiledForAVX512TakeAndReturnTheSameVectors() throws {
    try compareVectors(abi: "avx512", feature: "avx512f")
  }

  private func compareVectors(abi: String, feature: String) throws {
    let processor = try String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
    try XCTSkipUnless(processor.contains(" \(feature) "), "this processor has no \(feature)")
    var compiler = try Compiler()
    compiler.options = ["-m\(feature)"]
    try compareVectors(compiler: compiler, attribute: "__attribute__((abi(\"\(abi)\"))) ")
  }
  #endif

  private func compareVectors(compiler: Compiler, attribute: String = "") throws {
    var (report, compared) = (OracleReport(), 0)
    for (count, seed) in OracleSettings.batches(of: OracleSettings.signatureCount, limit: 300) {
      let program = CProgram(count: 150, seed: seed, sizeLimit: 48, vectorPercent: 60)
      let clangs = try LayoutLibrary(program, compiler: compiler).rows
      let declarations = program.readableDeclarations
      let types = zip(clangs, program.types).map { row, type in
        Self.declared(row, declarations + attribute + type.declaration(of: "last"), &report)
      }
      let callable = CallableTypes(program, types, &report)
      let signatures = CSignature.random(
        count: count, seed: seed, arguments: callable.arguments, results: callable.results,
        scalars: callable.scalars)
      let library = try CallLibrary(program, signatures, compiler: compiler)
      for index in signatures.indices {
        let call = CallCase(library, index, types: types)
        guard call.encoding.contains(attribute.isEmpty ? "!" : "x!") else { continue }
        compared += 1
        withExtendedLifetime(call.memory) {
          // libffi passes no vectors.
          Self.compare(call, CallRoute.allCases, [.plans], seed: seed, &report)
        }
      }
    }
    report.print("vector oracle: \(compared) signatures \(attribute)")
    XCTAssert(report.isClean, report.failure)
    XCTAssertGreaterThan(compared, OracleSettings.signatureCount / 4)
  }

  /// A call of a function by the signature that the library reads from its declaration; nil if that
  /// names a type which is refused.
  private static func declared(
    _ call: CallCase, _ program: CProgram, _ declarations: String, seed: UInt64,
    _ report: inout OracleReport
  ) -> CallCase? {
    let signature = call.library.signatures[call.index]
    let types = Set(signature.arguments + [signature.result].compactMap(\.self)).sorted()
    let text =
      declarations
      + types.map { "typedef \(program.types[$0].declaration(of: CProgram.name($0)));\n" }.joined()
      + CallSource.declaration(of: signature, call.index)
    do throws(TypeEncodingError) {
      let declared = try CDeclaration(text).requiredSignature(of: text)
      let clangs = try MethodSignature(parsing: call.encoding)
      let pairs = zip(
        [declared.result] + declared.arguments.map(\.encoding),
        [clangs.result] + clangs.arguments.map(\.encoding))
      if declared.arguments.count != clangs.arguments.count
        || pairs.contains(where: { $0.withoutMore != $1.withoutMore })
      {
        report.addDifference("ORACLE_SEED=\(seed) \(text): \(declared), clang \(clangs)")
      }
      var call = call
      call.encoding = declared.description
      return call
    } catch {
      report.addRefusal("declared signature, \(error.code.rawValue)", of: call.encoding)
      return nil
    }
  }

  /// A type with the encoding that the library makes of its declaration: clang writes none of vectors.
  private static func declared(
    _ row: LayoutLibrary.Row, _ declaration: String, _ report: inout OracleReport
  ) -> LayoutLibrary.Row {
    var declared = row
    do throws(TypeEncodingError) {
      let encoding = try TypeEncoding(declaration: declaration)
      declared.encoding = encoding.description
      // A name behind an object may be read as its class, which changes no layout.
      let layout = try TypeEncoding(parsing: declared.encoding).layout()
      let own = try encoding.layout()
      if layout.size != row.size || layout.alignment != row.alignment || layout != own {
        report.addDifference("\(row.declaration): \(encoding), \(layout)")
      }
      if let written = encoding.declaration(),
        try TypeEncoding(declaration: written).description.replacing(#/"\w*"/#, with: "")
          != declared.encoding.replacing(#/"\w*"/#, with: "")
      {
        report.addDifference("\(row.declaration): written as \(written)")
      }
    } catch {
      declared.encoding = "?"
      report.addRefusal("declaration, \(error.code.rawValue)", of: row.declaration)
    }
    return declared
  }

  /// Whether this clang passes the arguments otherwise than the System V ABI says: before version
  /// 18 it had an `__int128` for which one register is left take that register.
  private static func isMisplacedByCompiler(_ encoding: String) -> Bool {
    #if arch(x86_64)
    guard clangVersion < 18, let signature = try? MethodSignature(parsing: encoding) else {
      return false
    }
    return signature.arguments.contains { ["t", "T"].contains($0.encoding.description) }
    #else
    return false
    #endif
  }

  private static func compare(
    _ call: CallCase, _ routes: [CallRoute], _ engines: [CallEngine], seed: UInt64,
    _ report: inout OracleReport
  ) {
    let told = "ORACLE_SEED=\(seed) signature \(call.index) \(call.encoding)"
    if OracleSettings.isTracing {
      print(told)
      fflush(nil)
    }
    do throws(InvocationError) {
      _ = try CallInterface.of(call.encoding)
    } catch {
      return report.addRefusal("signature, \(error.code.rawValue)", of: call.encoding)
    }
    if isMisplacedByCompiler(call.encoding) {
      return report.addRefusal("clang \(clangVersion) misplaces __int128", of: call.encoding)
    }
    call.library.fillArguments(call.index, call.memory, seed: seed &+ UInt64(call.index))
    let function = unsafe call.library.functionAddress(call.index)
    let expected = call.outcome {
      unsafe call.library.call(call.index, function: function, call.memory)
    }
    var isEngineRight = true
    func check(_ route: String, _ outcome: () throws -> CallLibrary.Outcome) {
      do {
        let outcome = try outcome()
        guard outcome != expected else { return }
        isEngineRight = false
        report.addDifference("\(told): \(route): \(outcome.difference(from: expected))")
      } catch {
        report.addDifference("\(told): \(route): \(error)")
      }
    }
    for engine in engines {
      check("called by \(engine)") {
        unsafe try EngineCall(call, engine).outcome(calling: function)
      }
      check("called through code of \(engine)") {
        unsafe try EngineCall(call, engine).outcome(entering: function)
      }
    }
    // What is passed wrongly already may not be followed as a C string.
    guard isEngineRight else { return }
    var checked = call
    checked.expectedArguments = expected.arguments
    let engine = CallEngine.current
    defer { CallEngine.current = engine }
    for engine in engines {
      CallEngine.current = engine
      for route in routes {
        check("\(route.rawValue) by \(engine)") { try route.outcome(checked) }
      }
    }
  }
}
