import BlockABI
import BlockHooks
import Glibc
import Invocations
import SymbolInterposing
import TestSupport
import XCTest

// SAFETY, for the whole file: the libraries are compiled here, so their functions are known.

/// Functions that a library of versions defines, and one that comes before it without them, as
/// wrappers of the C library do.
final class WrappedFunctionTests: XCTestCase {
  private struct Wrapped {
    let name: String
    let wrapper: String
    let clients: [Client]

    /// Compiles and loads the libraries, and clients that are bound late and early.
    init(_ test: XCTestCase, _ name: String, wrapping definition: String) throws {
      self.name = name
      let files = try CompiledFiles(test)
      let script = try files.write("versions", Array("V1 { };".utf8))
      let options = ["-shared", "-fPIC", "-Wl,--version-script,\(script)"]
      let library = try files.compile(
        "lib\(name).so", options + ["-Wl,-soname,lib\(name).so"],
        source: """
          int versioned(int x) { return x + 1; }
          __asm__(".symver versioned, \(name)_value@@V1");
          """)
      wrapper = try files.compile("lib\(name)_wrapper.so", options, source: definition)
      for path in [wrapper, library] {
        XCTAssertNotNil(unsafe dlopen(path, RTLD_NOW | RTLD_GLOBAL), path)
      }
      clients = try ["lazy", "now"].map { binding in
        let client = "\(name)_\(binding)"
        let path = try files.compile(
          "lib\(client).so",
          [
            "-shared", "-fPIC", "-fuse-ld=lld", "-Wl,-z,\(binding)", "-Wl,-rpath,$ORIGIN",
            "-L\(files.directory)",
          ],
          source: """
            extern int \(name)_value(int x);
            int \(client)(int x) { return \(name)_value(x); }
            """, libraries: ["-l\(name)"])
        return try Client(path, client)
      }
    }

    /// Hooks and removes twice, so that slots are met that were never bound and that were hooked.
    func check(_ function: () throws -> ImportedFunction) throws {
      for round in 1...2 {
        let hook = try function().hook(.after) { call in
          try call.setResult(call.result(as: Int32.self) + 1000)
        }
        XCTAssertEqual(clients.map { $0(0) }, [1010, 1010], "round \(round)")
        hook.remove()
        XCTAssertEqual(clients.map { $0(0) }, [10, 10], "round \(round)")
        XCTAssertEqual(
          try Set(function().slots.map { $0.target?.image }), [wrapper], "round \(round)")
      }
    }
  }

  func testTheWrapperIsOneFunctionForAllWhoCallIt() throws {
    let wrapped = try Wrapped(
      self, "wrapped_plainly", wrapping: "int wrapped_plainly_value(int x) { return x + 10; }")
    try wrapped.check { unsafe try ImportedFunction("wrapped_plainly_value", signature: "ii") }
  }

  func testTheWrapperIsFoundByItsLibrary() throws {
    let wrapped = try Wrapped(
      self, "wrapped_named", wrapping: "int wrapped_named_value(int x) { return x + 10; }")
    try wrapped.check {
      unsafe try ImportedFunction("wrapped_named_value", library: wrapped.wrapper, signature: "ii")
    }
  }

  func testAWrapperThatIsChosenByCodeIsTheChosenOne() throws {
    let wrapped = try Wrapped(
      self, "wrapped_by_code",
      wrapping: """
        static int chosen(int x) { return x + 10; }
        static void *choose(void) { return chosen; }
        int wrapped_by_code_value(int x) __attribute__((ifunc("choose")));
        """)
    try wrapped.check { unsafe try ImportedFunction("wrapped_by_code_value", signature: "ii") }
  }
}
