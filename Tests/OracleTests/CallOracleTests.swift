import Invocations
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
      for index in signatures.indices {
        let call = CallCase(library, index, types: types)
        withExtendedLifetime(call.memory) { Self.compare(call, seed: seed, &report) }
      }
    }
    report.print(
      "call oracle: seed \(OracleSettings.seed), \(OracleSettings.signatureCount) signatures, "
        + "\(Engine.allCases.count) engine, \(CallRoute.allCases.count) routes, "
        + "\(ContinuousClock.now - start)")
    XCTAssert(report.isClean, report.failure)
  }

  private static func compare(_ call: CallCase, seed: UInt64, _ report: inout OracleReport) {
    let told = "ORACLE_SEED=\(seed) signature \(call.index) \(call.encoding)"
    let interface: CallInterface
    do throws(InvocationError) {
      interface = try CallInterface.parsing(call.encoding)
    } catch {
      return report.addRefusal("signature, \(error.code.rawValue)", of: call.encoding)
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
    for engine in Engine.allCases {
      check("called by \(engine)") {
        call.outcome {
          unsafe engine.call(function, interface, call.memory.arguments, call.memory.result)
        }
      }
      check("called through code of \(engine)") {
        let receiver = unsafe try ForwardingReceiver(engine, interface, to: function)
        return try withExtendedLifetime(receiver) {
          let code = unsafe try XCTUnwrap(receiver.closure).code
          return call.outcome {
            unsafe call.library.call(call.index, function: code, call.memory)
          }
        }
      }
    }
    // What is passed wrongly already may not be followed as a C string.
    guard isEngineRight else { return }
    var checked = call
    checked.expectedArguments = expected.arguments
    for route in CallRoute.allCases {
      check(route.rawValue) { try route.outcome(checked) }
    }
  }
}
