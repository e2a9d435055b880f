import BlockHooks
import CallTracing
import XCTest

final class TracedNameTests: XCTestCase {
  /// Demangled names of functions that compilers have made, and the short ones.
  private func check(_ rows: KeyValuePairs<String, String>, line: UInt = #line) {
    for (title, short) in rows {
      let name = TracedName(title: title, image: "/bin/shop", signature: "v8@?0")
      XCTAssertEqual(name.short, short, title, line: line)
    }
  }

  func testAClosureIsNamedByWhereItIsWritten() {
    check([
      "closure #1 (Swift.Int32) -> Swift.Int32 in HookABlock": "HookABlock › closure #1",
      "partial apply forwarder for closure #2 () -> () in closure #1 () -> () in static "
        + "Shop.Cart.(add in _0FF491ADBF8492ADAA828CFF4DD33D6D)(item: Swift.Int) throws -> ()":
        "Cart.add › closure #1 › closure #2",
      "implicit closure #3 @Sendable () -> () in Shop.Cart.map<A, B>(_: (A) -> B) -> ()":
        "Cart.map › implicit closure #3",
      "closure #1 () -> () in (extension in Shop):Dispatch.DispatchQueue.buy() -> ()":
        "DispatchQueue.buy › closure #1",
      "closure #1 () -> Swift.Int in variable initialization expression of Shop.Cart.total : Swift.Int":
        "Cart.total › closure #1",
      "closure #1 () -> () in Shop.Cart.total.getter : Swift.Int": "Cart.total.getter › closure #1",
      "closure #1 (Swift.Int) -> Swift.Int in default argument 0 of l.größe((Swift.Int) -> "
        + "Swift.Int) -> Swift.Int": "größe › default argument 0 › closure #1",
      "partial apply forwarder for closure #1 () -> SwiftDriver.VirtualPath.Handle in SwiftDriver."
        + "VirtualPath.(PathCache in _E4DC5F0651F2C5EC5CEE97E37B2B7F62).intern(virtualPath: "
        + "SwiftDriver.VirtualPath) -> SwiftDriver.VirtualPath.Handle with unmangled suffix \".30\"":
        "VirtualPath.PathCache.intern › closure #1",
    ])
  }

  func testAFunctionIsSelectedByItsModuleAndItsShortName() {
    for (title, name) in [
      "static Shop.Cart.(add in _0FF491ADBF8492ADAA828CFF4DD33D6D)(item: Swift.Int) -> ()":
        "Shop.Cart.add",
      "(extension in Shop):Swift.Int.halved() -> Swift.Int": "Shop.Int.halved",
      "inner #1 () -> () in Shop.outer() -> ()": "Shop.outer › inner",
      "Shop.Cart.total.getter : Swift.Int": "Shop.Cart.total.getter",
    ] as KeyValuePairs {
      XCTAssertEqual(TracedName.withModule(title), name)
    }
    XCTAssertNil(TracedName.withModule("malloc"))
  }

  func testAFunctionIsNamedByItsTypeAndItself() {
    check([
      "l.Cart.add(_: Swift.Int, to: Swift.Int) -> Swift.Int": "Cart.add",
      "l.typedThrow() throws(Swift.CancellationError) -> Swift.Never": "typedThrow",
      "(extension in l):l.R.r(Swift.Int) -> ()": "R.r",
      "(extension in l):Swift.Array<A where A == Swift.Int>.(zip2 in "
        + "_CB4BAC61919ABFD34803C3E846707AD9)() -> Swift.Int": "Array.zip2",
      "l.(P in _CB4BAC61919ABFD34803C3E846707AD9).Q.g<A where A: Swift.Hashable>(A1, (A) -> A1) "
        + "async throws -> [A : A1]?": "P.Q.g",
      "SourceKitLSP.Workspace.(in _CB384EDD0E6B76149E9837466FCC2F50).init(a: Swift.Int) -> "
        + "SourceKitLSP.Workspace": "Workspace.init",
      "Basics.URLSessionHTTPClient.execute@Sendable (_: Swift.Int, progress: (@Sendable "
        + "(Swift.Int64, Swift.Int64?) throws -> ())?) -> ()": "URLSessionHTTPClient.execute",
      "FoundationNetworking.URLSession._MultiHandle.register(source: Swift.Int, for: Swift.Int32)"
        + " -> ()": "URLSession._MultiHandle.register",
      "l.Cart.o.didset : Swift.Int": "Cart.o.didset",
      "l.Cart.t.modify : Swift.Int with unmangled suffix \".resume.0\"": "Cart.t.modify",
      "l.Cart.subscript.getter : (Swift.Int) -> Swift.Int": "Cart.subscript.getter",
      "l.A.__deallocating_deinit": "A.__deallocating_deinit",
      "static l.Cart.< infix(l.Cart, l.Cart) -> Swift.Bool": "Cart.<",
      "static l.Cart.>= infix<A>(l.Cart, A) -> Swift.Bool": "Cart.>=",
      "l.++ postfix(Swift.Int) -> Swift.Int": "++",
      "l.<> infix(Swift.Int, Swift.Int) -> Swift.Int": "<>",
    ])
  }

  func testAFunctionInAFunctionIsNamedByBoth() {
    check([
      "inner #1 <A>(A) -> Swift.Int in l.Cart.add(_: Swift.Int, to: Swift.Int) -> Swift.Int":
        "Cart.add › inner",
      "closure #1 () -> Swift.Int in inner #1 <A>(A) -> Swift.Int in l.Cart.add(_: Swift.Int, to: "
        + "Swift.Int) -> Swift.Int": "Cart.add › inner › closure #1",
      "attempt #1 @Sendable () -> () in FoundationNetworking._ProtocolClient.urlProtocol(_: "
        + "FoundationNetworking.URLProtocol) -> ()": "_ProtocolClient.urlProtocol › attempt",
      "z.getter : Swift.Int in Local #1 in l.Cart.add(_: Swift.Int, to: Swift.Int) -> Swift.Int":
        "Cart.add › Local › z.getter",
      "init() -> K #1 in l.Cart.add(_: Swift.Int, to: Swift.Int) -> Swift.Int in K #1 in l.Cart."
        + "add(_: Swift.Int, to: Swift.Int) -> Swift.Int": "Cart.add › K › init",
      "getter of found #1 : [Shop.Item] in Shop.Cart.find(_: Swift.Int) -> ()":
        "Cart.find › found.getter",
    ])
  }

  func testWhatTheCompilerMakesOfAFunctionIsNamedByIt() {
    check([
      "(3) suspend resume partial function for SwiftBuild.SWBBuildServiceSession.sendPIF"
        + "(SwiftBuild.SWBPropertyListItem) async throws -> ()": "SWBBuildServiceSession.sendPIF",
      "(1) await resume partial function for partial apply forwarder for closure #1 () async -> "
        + "Swift.Int in l.A.f() async -> ()": "A.f › closure #1",
      "async function pointer to l.A.f() async -> ()": "A.f",
      "merged SwiftBuild.Message.init(from: Swift.Decoder) throws -> SwiftBuild.Message":
        "Message.init (merged)",
      "generic specialization <()> of closure #1 () async -> () in SKUtilities.Debouncer."
        + "scheduleCall(A) -> ()": "Debouncer.scheduleCall › closure #1",
      "generic not re-abstracted specialization <L.Request> of closure #1 @Sendable () async throws"
        + " -> A.Response in L.Service.forward<A where A: L.RequestType>(A) async throws -> "
        + "A.Response": "Service.forward › closure #1",
      "function signature specialization <Arg[2] = [Closure Propagated : "
        + "$s15LLBuildManifest0aB6WriterV, Argument Types : []> of generic specialization "
        + "<Swift.UnsafeMutableBufferPointer<(key: Swift.String, value: L.Command)>> of (extension "
        + "in Swift):Swift.MutableCollection< where A: Swift.BidirectionalCollection>.reverse() -> "
        + "()": "MutableCollection.reverse",
      "vtable thunk for Foundation.Formatter.string(for: Any) -> Swift.String? dispatching to "
        + "Foundation.ByteCountFormatter.string(for: Any?) -> Swift.String?":
        "ByteCountFormatter.string",
      "protocol witness for Swift.Hashable._rawHashValue(seed: Swift.Int) -> Swift.Int in "
        + "conformance Foundation.Measurement<A> : Swift.Hashable in Foundation":
        "Measurement._rawHashValue",
      "protocol witness for static Swift.Comparable.< infix(A, A) -> Swift.Bool in conformance "
        + "SWBProtocol.Signature : Swift.Comparable in SWBProtocol": "Signature.<",
      "protocol witness for l.R.r(Swift.Int) -> () in conformance <A where A: Swift.Equatable> "
        + "l.(P in _CB4BAC61919ABFD34803C3E846707AD9).Q<A> : l.R in l": "P.Q.r",
      "protocol witness for Markdown.Visitor.visit(Markdown.Block) -> A.Result in conformance "
        + "Deleter #1 in Markdown.Cell.format(options: Swift.Int) -> Swift.String : "
        + "Markdown.Visitor in Markdown": "Cell.format › Deleter.visit",
      "function signature specialization <Arg[1] = [Constant Propagated Function : async_Main]> of "
        + "reabstraction thunk helper from @escaping @convention(thin) @async () -> () to @escaping "
        + "@callee_guaranteed @async () -> (@out (), @error @owned Swift.Error)": "main",
      "outlined init with copy of Swift.TaskPriority?": "outlined init with copy of TaskPriority?",
      "partial apply forwarder for reabstraction thunk helper <A where A: Swift.Sendable> from "
        + "@escaping @isolated(any) @callee_guaranteed @async () -> (@out A) to @escaping "
        + "@callee_guaranteed @async () -> (@out A, @error @owned Swift.Error)": "thunk",
    ])
  }

  func testABlockThatIsKnownOnlyByItsSenderIsNamedByIt() {
    check([
      "dispatch_sync block in closure #1 () -> () in Shop.handle(Swift.String) -> ()":
        "handle › closure #1 › dispatch_sync block",
      "dispatch_apply block in main": "main › dispatch_apply block",
      "dispatch_sync": "dispatch_sync",
    ])
  }

  func testAPartOfAnAsyncFunctionIsNamedByIt() {
    // As the demangler prints them, of an optimised program: a name that no demangler knows is the main
    // function's, of which there are parts, too.
    check([
      "async_Main": "main", "async_MainTQ0_": "main", "async_MainTY7_": "main",
      "async_MainTu": "main", "async_MainTY12_.resume.0": "main",
      "(1) await resume partial function for static t.M.$main() async -> ()": "M.main",
      "(2) await resume partial function for t.slow(Swift.Int) async -> Swift.Int": "slow",
      "(4) suspend resume partial function for implicit closure #1 @Sendable () async -> Swift.Int in "
        + "t.main1() async -> ()": "main1 › implicit closure #1",
      "(1) await resume partial function for partial apply forwarder for closure #1 () async -> "
        + "Swift.Int in closure #3 (inout Swift.TaskGroup<Swift.Int>) async -> () in t.main1() async -> ()":
        "main1 › closure #3 › closure #1",
      "partial apply forwarder for closure #1 () async -> Swift.Int in tp.busy() -> Swift.Task<"
        + "Swift.Int, Swift.Never> with unmangled suffix \".147TQ0_\"": "busy › closure #1",
      "(1) await resume partial function for function signature specialization <Arg[1] = [Constant "
        + "Propagated Function : async_Main]> of reabstraction thunk helper from @escaping "
        + "@convention(thin) @async () -> () to @escaping @callee_guaranteed @async () -> (@out (), "
        + "@error @owned Swift.Error)": "main",
    ])
  }

  func testACppFunctionHasNoParametersNorResult() {
    check([
      "shop::Cart::add(int) const": "shop::Cart::add",
      "shop::Cart::add(int) const::{lambda(int)#1}::operator()(int) const":
        "shop::Cart::add::{lambda(int)#1}::operator()",
      "(anonymous namespace)::hid(int (*)(int, char))": "(anonymous namespace)::hid",
      "std::vector<int, std::allocator<int> > shop::make<int>(void (*)(int), int)": "shop::make",
      "shop::Cart::operator bool() const": "shop::Cart::operator bool",
      "shop::Cart::operator->()": "shop::Cart::operator->",
      "shop::Cart::operator<(shop::Cart const&) const": "shop::Cart::operator<",
      "operator new(unsigned long)": "operator new",
      "std::function<int (int)>::~function()": "std::function::~function",
      "block #2 in shop::Cart::add(int) const": "shop::Cart::add › block #2",
      "shop::Cart::add(int) const [clone .cold]": "shop::Cart::add",
    ])
  }

  func testOtherNamesStayAsTheyAre() {
    for title in [
      "__main_block_invoke_2", "block v16@?0@8", "block v@?(U=id)", "main", "async_Mainly",
      "getenv",
      "MySwift.Array", "Swift.Array.map in the sun", "work.cold.1", "",
      "type metadata accessor for Shop.Cart", "closure #", "a.b(", "(", "<<<", "Shop.Cart.add(",
      "generic specialization <", "protocol witness for ", "void (*f(int))(char)", "x::", "::(",
    ] {
      let name = TracedName(title: title, image: nil, signature: "v8@?0")
      XCTAssertEqual(name.short, title)
    }
  }

  func testNamesOfATableDifferByLabelsAndThenByTypes() {
    let titles = [
      "Shop.Cart.add(_: Swift.Int, to: Swift.Int) -> ()", "Shop.Cart.add(Swift.Int) -> ()",
      "Shop.Cart.pay(Swift.Int) -> ()", "Shop.Cart.pay(Swift.String) -> ()",
      "Shop.Cart.clear() -> ()",
    ]
    let names = titles.map { TracedName(title: $0, image: nil, signature: "v") }
    XCTAssertEqual(
      TracedName.texts(of: names),
      ["Cart.add(_:to:)", "Cart.add(_:)", titles[2], titles[3], "Cart.clear"])
  }
}
