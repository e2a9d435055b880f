import BlockABI
import BlockHooks
import Foundation
import Glibc
import Invocations
import SymbolInterposing
import TestSupport
import XCTest

// SAFETY, for the whole file: the libraries are compiled here, so their functions are known.

/// Objects that are loaded and unloaded while imports are hooked.
final class LoadedObjectTests: XCTestCase {
  func testALibraryThatIsLoadedLaterIsHooked() throws {
    try XCTSkipIf(isSanitized, "a sanitizer has functions of its own in the program for dlopen")
    let victims = try Victims(self, "later")
    _ = try victims.client("first")
    let twice = unsafe try ImportedFunction(victims.twice, signature: "ii")
    let hook = try twice.hook(.after) { call in
      try call.setResult(call.result(as: Int32.self) + 100)
    }
    // This very test calls `dlopen` through a slot.
    let second = try victims.client("second")
    XCTAssertEqual(second(1), 103)
    hook.remove()
    XCTAssertEqual(second(1), 3)
    let third = try victims.client("third")
    XCTAssertEqual(third(1), 3)
    XCTAssertFalse(ImportSlot.all(of: "dlopen").contains(where: \.isHooked))
  }

  func testFunctionsThatAreHookedTogetherAreHookedWhenAllAre() throws {
    let victims = [try Victims(self, "together"), try Victims(self, "apart")]
    let clients = try victims.map { try $0.client() }
    let functions = try victims.map { unsafe try ImportedFunction($0.twice, signature: "ii") }
    let hundred: HookDefinition.Handler = { call in
      try call.setArgument(0, call.argument(0, as: Int32.self) + 100)
      try call.proceed()
    }
    var hooks: [Hook] = []
    var inside: [Int32] = []
    try ImportedFunction.together { () throws(InterposingError) in
      hooks.append(try functions[0].hook(.instead, hundred))
      // Other threads do not wait for this one.
      let other = Recorder<Hook>()
      let thread = Thread {
        if let hook = try? functions[1].hook(.instead, hundred) { other.record(hook) }
      }
      thread.start()
      while !thread.isFinished { sched_yield() }
      hooks += other.entries
      inside = clients.map { $0(1) }
    }
    XCTAssertEqual(inside, [3, 203])
    XCTAssertEqual(clients.map { $0(1) }, [203, 203])
    for hook in hooks { XCTAssertTrue(hook.remove()) }
    XCTAssertEqual(clients.map { $0(1) }, [3, 3])
  }

  func testALibraryThatAHandlerLoadsIsHooked() throws {
    try XCTSkipIf(isSanitized, "a sanitizer has functions of its own in the program for dlopen")
    let victims = try Victims(self, "within")
    let first = try victims.client("first")
    let path = try victims.compileClient("second")
    let twice = unsafe try ImportedFunction(victims.twice, signature: "ii")
    let second = Recorder<Client>()
    let hook = try twice.hook(.after) { call in
      try call.setResult(call.result(as: Int32.self) + 100)
      if second.entries.isEmpty { second.record(try Client(path, "within_second")) }
    }
    XCTAssertEqual(first(1), 103)
    XCTAssertEqual(try XCTUnwrap(second.entries.first)(1), 103)
    hook.remove()
    XCTAssertEqual(try XCTUnwrap(second.entries.first)(1), 3)
  }

  func testALibraryThatIsLoadedPastAllSlotsIsHookedWhenAsked() throws {
    try XCTSkipIf(isSanitized, "a sanitizer has functions of its own in the program for dlopen")
    let victims = try Victims(self, "past")
    _ = try victims.client("first")
    let path = try victims.compileClient("second")
    let twice = unsafe try ImportedFunction(victims.twice, signature: "ii")
    let hook = try twice.hook(.after) { call in
      try call.setResult(call.result(as: Int32.self) + 100)
    }
    defer { hook.remove() }
    // By its address, as the C library loads its own plug-ins.
    typealias Open = @convention(c) (UnsafePointer<CChar>, Int32) -> UnsafeMutableRawPointer?
    let address = unsafe try XCTUnwrap(dlsym(nil, "dlopen"))
    XCTAssertTrue(unsafe unsafeBitCast(address, to: Open.self)(path, RTLD_LAZY) != nil)
    let handle = unsafe try XCTUnwrap(
      unsafeBitCast(address, to: Open.self)(path, RTLD_LAZY | RTLD_NOLOAD))
    let second = unsafe try unsafeBitCast(
      XCTUnwrap(dlsym(handle, "past_second")), to: (@convention(c) (Int32) -> Int32).self)
    XCTAssertEqual(second(1), 3)
    ImportedFunction.followLoadedObjects()
    XCTAssertEqual(second(1), 103)
  }

  func testTheImageOfTheLibraryItselfMayBeLeftOut() throws {
    // The tests are linked with the library: it lies in their program.
    let all = Set(ImportSlot.all(of: "getenv").map(\.image))
    let others = Set(ImportSlot.all(of: "getenv", in: .excludingOwnImage).map(\.image))
    let own = URL(fileURLWithPath: CommandLine.arguments[0]).lastPathComponent
    XCTAssertFalse(others.isEmpty)
    XCTAssertEqual(
      all.subtracting(others).map { URL(fileURLWithPath: $0).lastPathComponent }, [own])
  }

  func testALibraryThatIsUnloadedIsLeftAlone() throws {
    let victims = try Victims(self, "unloaded")
    let first = try victims.client("first")
    let second = try victims.client("second")
    let twice = unsafe try ImportedFunction(victims.twice, signature: "ii")
    let hook = try twice.hook(.after) { call in
      try call.setResult(call.result(as: Int32.self) + 100)
    }
    XCTAssertEqual(second(1), 103)
    let path = second.path
    second.unload()
    XCTAssertEqual(first(1), 103)
    hook.remove()
    XCTAssertEqual(first(1), 3)
    XCTAssertEqual(try Client(path, "unloaded_second")(1), 3)
  }

  private static let loader = """
    #include <dlfcn.h>
    int hidden_load(int mode) {
      volatile char frame[SIZE] = {0};
      void *plugin = dlopen("libhidden_plugin.so", mode);
      if (!plugin) return -1;
      int result = ((int (*)(void))dlsym(plugin, "hidden_value"))() + frame[SIZE - 1];
      // So that the next one is searched for again.
      dlclose(plugin);
      return result;
    }
    """

  private static var endings: [(name: String, options: [String])] {
    let plain = [
      ("unoptimised", ["-O0", "-DSIZE=1"]), ("optimised", ["-O2", "-DSIZE=1"]),
      ("large", ["-O2", "-DSIZE=4096"]),
    ]
    #if arch(arm64)
    return plain + [
      ("signed", ["-O2", "-DSIZE=1", "-mbranch-protection=standard"]),
      ("new", ["-O2", "-DSIZE=1", "-mbranch-protection=standard", "-march=armv8.5-a"]),
    ]
    #else
    return plain
    #endif
  }

  /// `dlopen` finds libraries by the search path of the object that calls it.
  func testTheSearchPathIsStillThatOfWhoLoads() throws {
    try XCTSkipIf(isSanitized, "a sanitizer has functions of its own in the program for dlopen")
    let files = try CompiledFiles(self)
    let hidden = try CompiledFiles(self)
    _ = try hidden.compile(
      "libhidden_plugin.so", ["-shared", "-fPIC"], source: "int hidden_value(void) { return 7; }")
    XCTAssertTrue(unsafe dlopen("libhidden_plugin.so", RTLD_NOW) == nil)
    let function = unsafe try ImportedFunction("getenv", signature: "r*r*")
    let hook = try function.hook { try $0.proceed() }
    defer { hook.remove() }
    // Functions that end in different instructions.
    for (name, options) in Self.endings {
      let loader = try files.compile(
        "libhidden_\(name).so", ["-shared", "-fPIC", "-Wl,-rpath,\(hidden.directory)"] + options,
        source: Self.loader)
      let client = try Client(loader, "hidden_load")
      XCTAssertTrue(
        ImportSlot.all(of: "dlopen", in: .only(loader)).contains(where: \.isHooked), name)
      XCTAssertEqual(client(RTLD_NOW), 7, name)
      XCTAssertTrue(unsafe dlopen("libhidden_plugin.so", RTLD_NOW | RTLD_NOLOAD) == nil, name)
    }
  }

  func testAStaticProgramIsRefused() throws {
    let files = try CompiledFiles(self)
    let folders = ["CSymbolInterposing", "CBlockRuntimeThreads"].map {
      PackageFiles.root.appendingPathComponent(PackageFiles.folder(of: $0)).path
    }
    for (options, expected) in [(["-static-pie", "-fuse-ld=lld"], 1), (["-static"], 1), ([], 0)]
      as [([String], Int32)]
    {
      let program = try files.compile(
        "program",
        options + folders.map { "-I\($0)/include" },
        source: """
          #include "CBRImportSlots.h"
          int main(void) { return cbr_is_static_program(); }
          """,
        libraries: ["\(folders[0])/LoadedObjects.c", "\(folders[1])/Reentrancy.c"])
      let process = try Process.run(URL(fileURLWithPath: program), arguments: [])
      process.waitUntilExit()
      XCTAssertEqual(process.terminationStatus, expected, "\(options)")
    }
  }
}
