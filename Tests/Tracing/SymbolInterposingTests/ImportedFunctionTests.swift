import BlockABI
import BlockHooks
import Glibc
import Invocations
import SymbolInterposing
import Synchronization
import TestSupport
import XCTest

/// Hooks of imported functions: what handlers see, what is refused, what removal leaves.
final class ImportedFunctionTests: XCTestCase {
  func testAHookSeesArgumentsAndResultAndWhoCalls() throws {
    let victims = try Victims(self, "seen")
    let client = try victims.client()
    let twice = unsafe try ImportedFunction(victims.twice, signature: "ii", in: .only(client.path))
    let seen = Mutex<[String]>([])
    let hook = try twice.hook([.before, .after]) { call in
      let text = call.position == .before ? call.arguments.description : call.resultText ?? "none"
      let caller = call.callers(limit: 1).first?.function?.name ?? "nobody"
      seen.withLock { $0.append("\(text) \(caller)") }
    }
    XCTAssertEqual(client(21), 43)
    XCTAssertEqual(seen.withLock { $0 }, ["i32 21 seen_client", "i32 42 seen_client"])
    hook.remove()
  }

  func testAFunctionOfVectorsIsHookedByItsDeclaration() throws {
    let files = try CompiledFiles(self)
    let float4 = "typedef float float4 __attribute__((vector_size(16)));"
    _ = try files.compile(
      "libvectors.so", ["-shared", "-fPIC"],
      source: "\(float4) float4 vectors_scale(float4 v, float by) { return v * by; }")
    let path = try files.compile(
      "libvectors_client.so",
      ["-shared", "-fPIC", "-Wl,-rpath,$ORIGIN", "-L\(files.directory)"],
      source: """
        \(float4) extern float4 vectors_scale(float4, float);
        int vectors_client(int x) {
          float4 v = vectors_scale((float4){1, 2, 3, x}, 2);
          return v[0] + 10 * v[1] + 100 * v[2] + 1000 * v[3];
        }
        """, libraries: ["-lvectors"])
    let client = try Client(path, "vectors_client")
    XCTAssertEqual(client(4), 8642)
    let scale = unsafe try ImportedFunction(
      declaration: float4 + "float4 vectors_scale(float4, float)", in: .only(path))
    let hook = try scale.hook(.instead) { call in
      try call.setArgument(0, call.argument(0, as: SIMD4<Float>.self) + 1)
      try call.proceed()
      try call.setResult(call.result(as: SIMD4<Float>.self) - SIMD4(0, 0, 0, 3))
    }
    XCTAssertEqual(client(4), 7864)
    hook.remove()
    XCTAssertEqual(client(4), 8642)
  }

  func testAnInterceptorChangesTheFirstArgument() throws {
    let function = unsafe try ImportedFunction("toupper", signature: "ii")
    let hook = try function.install(
      .intercepting { call in
        try call.setArgument(0, call.argument(0, as: Int32.self) + 1)
        try call.proceed()
      })
    XCTAssertEqual(toupper(97), 66)
    hook.remove()
  }

  func testAKnownFunctionIsHookedWithoutASignature() throws {
    let known = try ImportedFunction("tolower")
    let declared = unsafe try ImportedFunction(declaration: "int tolower(int)")
    XCTAssertEqual("\(known)", "tolower ii")
    XCTAssertEqual(known.signature, declared.signature)
    let hook = try known.hook(.after) { call in try call.setResult(Int32(33)) }
    XCTAssertEqual(tolower(65), 33)
    hook.remove()
    XCTAssertEqual(tolower(65), 97)
    let all = try ImportedFunction.known("open").map(\.symbol)
    XCTAssertEqual(all, ["open", "open64", "__open_2", "__open64_2"])
    XCTAssertThrowsError(try ImportedFunction("tolwer")) { error in
      XCTAssertEqual((error as? InterposingError)?.code, .invalidSignature)
      XCTAssertTrue("\(error)".contains("did you mean tolower?"), "\(error)")
    }
    XCTAssertThrowsError(try ImportedFunction("strlen")) { error in
      XCTAssertEqual((error as? InterposingError)?.code, .reservedFunction)
    }
  }

  func testHooksOfOneFunctionAreNestedByPriority() throws {
    let victims = try Victims(self, "nested")
    let client = try victims.client()
    let twice = unsafe try ImportedFunction(victims.twice, signature: "ii")
    let order = Mutex<[String]>([])
    func hook(_ name: String, _ priority: Int) throws -> Hook {
      try twice.hook([.before, .after], name: name, priority: priority) { call in
        order.withLock { $0.append("\(name) \(call.position)") }
      }
    }
    let hooks = [try hook("a", 0), try hook("b", 1), try hook("c", 0)]
    XCTAssertEqual(twice.hooks.map(\.name), ["b", "c", "a"])
    XCTAssertEqual(client(1), 3)
    XCTAssertEqual(
      order.withLock { $0 },
      ["b before", "c before", "a before", "a after", "c after", "b after"])
    hooks[2].remove()
    XCTAssertTrue(twice.slots.allSatisfy(\.isHooked))
    XCTAssertEqual(twice.removeHooks(), 2)
    XCTAssertFalse(twice.slots.contains(where: \.isHooked))
  }

  func testFiltersChooseTheCallingImage() throws {
    let victims = try Victims(self, "chosen")
    let (first, second) = (try victims.client("first"), try victims.client("second"))
    func plus(_ value: Int32, _ images: ImageFilter) throws -> Hook {
      let twice = unsafe try ImportedFunction(victims.twice, signature: "ii", in: images)
      return try twice.hook(.after) { call in
        try call.setResult(call.result(as: Int32.self) + value)
      }
    }
    let forFirst = try plus(10, .only("*_first.so"))
    XCTAssertEqual([first(1), second(1)], [13, 3])
    let forAll = try plus(100, .all)
    XCTAssertEqual([first(1), second(1)], [113, 103])
    let forOthers = try plus(1000, .excluding("*_first.so"))
    XCTAssertEqual([first(1), second(1)], [113, 1103])
    forFirst.remove()
    XCTAssertEqual([first(1), second(1)], [103, 1103])
    forAll.remove()
    XCTAssertEqual([first(1), second(1)], [3, 1003])
    let slots = unsafe try ImportedFunction(victims.twice, signature: "ii", in: .only("*_first.so"))
      .slots
    XCTAssertFalse(slots.contains(where: \.isHooked), "\(slots)")
    forOthers.remove()
    XCTAssertEqual([first(1), second(1)], [3, 3])
  }

  func testAFunctionOfTheSameTypeTakesItsPlace() throws {
    let victims = try Victims(self, "replaced")
    let client = try victims.client()
    let twice = unsafe try ImportedFunction(victims.twice, signature: "ii")
    let thrice: @convention(c) (Int32) -> Int32 = { 3 * $0 }
    let hook = try twice.replace(with: thrice)
    XCTAssertEqual(client(2), 7)
    XCTAssertEqual(try twice.original(2) as Int32, 4)
    hook.remove()
    XCTAssertEqual(client(2), 5)
    let wrong: @convention(c) (Double) -> Int32 = { Int32($0) }
    expectError(.typeMismatch) { _ = try twice.replace(with: wrong) }
  }

  func testTheLibraryThatDefinesAFunctionCanBeNamed() throws {
    let sine = unsafe try ImportedFunction("sin", library: "libm.so.6", signature: "dd")
    XCTAssertEqual(try sine.original(0.0) as Double, 0)
    for (symbol, library, code) in [
      ("sin", "libnothing.so.6", ErrorCode.libraryNotFound),
      ("no_such_function", "libm.so.6", .symbolNotFound), ("signgam", "libm.so.6", .notAFunction),
    ] {
      XCTAssertThrowsError(
        unsafe try ImportedFunction(symbol, library: library, signature: "dd")
      ) { error in
        XCTAssertEqual((error as? InterposingError)?.code, code, "\(error)")
      }
    }
    let victims = try Victims(self, "named")
    let client = try victims.client()
    let library = "\(victims.files.directory)/libnamed.so"
    let twice = unsafe try ImportedFunction(victims.twice, library: library, signature: "ii")
    let hook = try twice.hook { try $0.setResult(Int32(1)) }
    XCTAssertEqual(client(1), 2)
    hook.remove()
    XCTAssertEqual(client(1), 3)
  }

  func testASuspendedHookGivesTheSlotsBack() throws {
    let victims = try Victims(self, "suspended")
    let client = try victims.client()
    let twice = unsafe try ImportedFunction(victims.twice, signature: "ii")
    let hook = try twice.hook { call in try call.setResult(Int32(7)) }
    XCTAssertTrue(hook.suspend())
    XCTAssertEqual(client(1), 3)
    XCTAssertFalse(twice.slots.contains(where: \.isHooked))
    XCTAssertTrue(try hook.resume())
    XCTAssertEqual(client(1), 8)
    hook.remove()
    XCTAssertEqual(client(1), 3)
  }

  func testErrnoIsWhatTheFunctionLeftOrWhoTookItsPlace() throws {
    let files = try CompiledFiles(self)
    let library = try files.compile(
      "liberrs.so", ["-shared", "-fPIC"],
      source: """
        #include <errno.h>
        int errs_inner(int x) { errno = x; return x; }
        """)
    _ = library
    let path = try files.compile(
      "liberrs_client.so", ["-shared", "-fPIC", "-Wl,-rpath,$ORIGIN", "-L\(files.directory)"],
      source: """
        #include <errno.h>
        extern int errs_inner(int x);
        int errs_outer(int x) { errno = 1; errs_inner(x); return errno; }
        """, libraries: ["-lerrs"])
    let outer = try Client(path, "errs_outer")
    let inner = unsafe try ImportedFunction("errs_inner", signature: "ii")
    for positions in [HookPositions.before, .after, [.before, .after], .instead] {
      let hook = try inner.hook(positions) { call in
        errno = 40
        if call.position == .instead { try call.proceed() }
        errno = 41
      }
      let outermost = try inner.hook { call in
        try call.proceed()
        errno = 42
      }
      XCTAssertEqual(outer(7), 7, "\(positions)")
      hook.remove()
      outermost.remove()
    }
    let replaced = try inner.hook { call in
      errno = 43
      try call.setResult(Int32(-1))
    }
    let around = try inner.hook(.after) { _ in errno = 44 }
    XCTAssertEqual(outer(7), 43)
    replaced.remove()
    around.remove()
  }

  #if arch(arm64)
  func testAFunctionOfScalableVectorsIsRefused() throws {
    let library = try CompiledFiles(self).compile(
      "libscalable.so", ["-shared", "-fPIC", "-march=armv8-a+sve"],
      source: """
        #include <arm_sve.h>
        svint32_t scalable_twice(svint32_t x) { return x; }
        """)
    expectError(.unsupportedType, "scalable vectors") {
      _ = unsafe try ImportedFunction("scalable_twice", library: library, signature: "ii")
    }
  }
  #endif

  func testWhatIsRefusedSaysWhy() throws {
    let victims = try Victims(self, "refused")
    _ = try victims.client()
    func refusal(_ symbol: String, _ signature: String, _ version: String? = nil) -> String {
      do {
        _ = unsafe try ImportedFunction(symbol, version: version, signature: signature)
        return "none"
      } catch {
        return "\(error)"
      }
    }
    let cases: [(String, String, String)] = [
      ("no_such_function_anywhere", "ii", "symbolNotFound: no loaded object defines"),
      ("refused_twica", "ii", "did you mean refused_twice?"),
      ("refused_calls", "ii", "notAFunction: refused_calls is data"),
      ("refused_twice", "i", "none"),
      ("memcpy", "^v^v^vQ", "reservedFunction: memcpy is called on the way"),
      ("swift_retain", "^v^v", "reservedFunction: swift_retain"),
      ("vfork", "i", "reservedFunction: vfork returns twice"),
      ("refused_twice", "i?!", "invalidSignature: refused_twice"),
    ]
    // A library that takes the address of the data is needed for its slot; the definition is
    // enough.
    for (symbol, signature, expected) in cases where symbol != "refused_calls" {
      XCTAssertTrue(
        refusal(symbol, signature).contains(expected), refusal(symbol, signature))
    }
    XCTAssertTrue(
      refusal("environ", "ii").contains("notAFunction"), refusal("environ", "ii"))

    let twice = unsafe try ImportedFunction(victims.twice, signature: "ii")
    let hook = try twice.hook { try $0.proceed() }
    let other = unsafe try ImportedFunction(victims.twice, signature: "dd")
    expectError(.signatureConflict) { _ = try other.hook { try $0.proceed() } }
    hook.remove()
    XCTAssertNoThrow(try other.hook { try $0.proceed() }.remove())
    expectError(.noPosition) { _ = try twice.hook(.death) { _ in } }
    XCTAssertFalse(twice.slots.contains(where: \.isHooked))
  }

  func testWhatAHandlerHoldsIsFreedWithTheHook() throws {
    let victims = try Victims(self, "held")
    let client = try victims.client()
    let tracker = LifetimeTracker()
    let twice = unsafe try ImportedFunction(victims.twice, signature: "ii")
    for _ in 0..<10 {
      let tracked = tracker.track()
      let hook = try twice.hook { call in
        try withExtendedLifetime(tracked) { try call.proceed() }
      }
      XCTAssertEqual(client(1), 3)
      hook.remove()
    }
    tracker.expectNothingAlive()
  }
}
