import BlockABI
import BlockHooks
import CallTracing
import Invocations
import TestSupport
import XCTest

// SAFETY, for the whole file: the libraries are compiled here, so what their symbols are is known.

/// Code of libraries that come and go at the same addresses.
final class UnloadedCodeTests: XCTestCase {
  func testATracerNamesTheCodeThatIsWhereOtherCodeWas() throws {
    let sink = RecordingSink()
    let buffer = TraceBuffer()
    let tracer = Tracer([sink, buffer])
    let names = ["traced_first", "traced_other", "traced_third"]
    for name in names {
      let library = try LoadedLibrary(
        self, name, source: "int (^const \(name))(int) = ^(int x) { return x + 1; };")
      let block = unsafe try Block(
        unsafePointer: library.address(of: name).load(as: UnsafeRawPointer.self))
      let trace = try block.install(.tracing(with: tracer))
      XCTAssertEqual(try block.call(1) as Int32, 2)
      trace.remove()
      library.close()
      XCTAssertFalse(library.isLoaded)
    }
    tracer.flush()
    let blocks = names.map { "\($0)_block_invoke" }
    XCTAssertEqual(sink.records.map(\.subject.name), blocks)
    XCTAssertEqual(Set(buffer.statistics.map(\.subject.name)), Set(blocks))
  }
}
