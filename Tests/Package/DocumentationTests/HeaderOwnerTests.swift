import Foundation
import TestSupport
import XCTest

/// The rules for C: each header belongs to one module, and what is one processor's stands in its
/// folder.
final class HeaderOwnerTests: XCTestCase {
  /// Who else names a header, by its submodule; `C<Module>` is beside `<Module>`, its owner.
  private static let importers: [String: Set<String>] = [
    // Hazard pointers are stored inline: at each handler's call, each message, and by `vfork`'s
    // parent.
    "CInvocations.HazardPointers": ["BlockHooks", "CMessageForwarding", "CSymbolInterposing"],
    // Messages ask whether an object has values, such as hooks, before they look for them.
    "CObjectLifetimes.ObjectDestruction": ["CMessageForwarding"],
    // The library's own calls are marked inline, in all of its C.
    "CBlockRuntimeThreads.OwnCalls": [
      "CBlockABI", "CCallTracing", "CDelayedBlocks", "CInvocations", "CKeyValueObserving",
      "CLoadedImages", "CObjectLifetimes", "CObservationBridge", "CQueueTracing",
      "CSymbolInterposing",
    ],
    // Forks wait while a trace is started or stopped.
    "CBlockRuntimeThreads.ForkGate": ["CCallTracing"],
    // What one thread orders for all others.
    "CBlockRuntimeThreads.Barriers": [
      "BlockABI", "CBlockABI", "CInvocations", "CSymbolInterposing", "Invocations",
    ],
    // The re-entrancy guard is asked in assembly, at each call of a hooked function, and lifted in C
    // during a plain call of the original.
    "CBlockRuntimeThreads.Reentrancy": ["CInvocations", "CQueueTracing", "CSymbolInterposing"],
    // A table that traces read without a lock: queues, callers, tasks.
    "CBlockRuntimeThreads.AddressTable": [
      "CCallTracing", "CQueueTracing", "CSymbolInterposing", "CallTracing", "QueueTracing",
    ],
    "CBlockRuntimeThreads.ThreadStack": ["CDelayedBlocks", "CInvocations", "CObjectLifetimes"],
    // Assembly: the layouts that it reads, and macros. Messages end a hazard pointer as calls do.
    "CBlockABI.BlockAttachment": ["CInvocations"],
    "CInvocations.CallEntry": ["CMessageForwarding", "CSymbolInterposing"],
    "CInvocations.CallMemory": ["CBlockTracer", "CSymbolInterposing"],
    "CInvocations.Functions": ["CBlockTracer", "CSymbolInterposing"],
    "CInvocations.OpaqueCalls": ["BlockTracer"],
    "CBlockABI.BlockLiteral": ["CInvocations"],
    "CInvocations.DeferredRelease": ["AutoreleasedResults"],
    // What the process has loaded and mapped: no module's own.
    "CLoadedImages.BuildIDs": ["CodeSymbols"],
    "CLoadedImages.Images": ["CStaticTracing", "CSymbolInterposing", "CodeSymbols"],
    // Whose code is among that of a program which contains the libraries.
    "CSymbolInterposing.ContainedLibraries": ["CQueueTracing", "StaticTracing"],
    "CSymbolInterposing.WrappedSlots": ["CStaticTracing"],
    "CWrappedFunctions.WrappedFunctions": ["CStaticTracing"],
    // Where stacks end that are unwound.
    "CSymbolInterposing.ImportSlots": ["CQueueTracing"],
    "CLoadedImages.LoadedClasses": ["LoadedClasses"],
    "CLoadedImages.LoadedImages": ["BlockABI", "CObjectLifetimes"],
    "CLoadedImages.ReadableMemory": [
      "BlockABI", "CCallTracing", "CInvocations", "Invocations", "RetainCycles",
    ],
    "CLoadedImages.Symbols": [
      "CQueueTracing", "CSymbolInterposing", "CallTracing", "CodeSymbols",
    ],
  ]

  private struct SourceFile {
    let path: String
    let module: String
    let text: String
  }

  private func files(_ endings: [String]) throws -> [SourceFile] {
    try endings.flatMap { Sources.files(in: "Sources", ending: $0) }.map { path in
      SourceFile(
        path: path, module: PackageFiles.module(of: path) ?? "",
        text: try String(contentsOf: Sources.root.appendingPathComponent(path), encoding: .utf8))
    }
  }

  func testEachHeaderIsNamedByItsOwnerAndByThoseListedOnly() throws {
    var owners: [String: String] = [:]
    for header in try files([".h"]) where header.path.contains("/include/CBR") {
      let name = header.path.split(separator: "/").last.map(String.init) ?? ""
      XCTAssertNil(owners.updateValue(header.module, forKey: name), name)
    }
    XCTAssertGreaterThan(owners.count, 20)
    var found: [String: Set<String>] = [:]
    for file in try files([".c", ".h", ".S"]) {
      for match in file.text.matches(of: #/#include "CBR(?<name>\w+)\.h"/#) {
        let owner = owners["CBR\(match.name).h"]
        XCTAssertNotNil(owner, "\(file.path): \(match.name)")
        guard let owner, owner != file.module else { continue }
        found["\(owner).\(match.name)", default: []].insert(file.module)
      }
    }
    for file in try files([".swift"]) {
      for match in file.text.matches(of: #/import (?<owner>C[A-Z]\w*)\.(?<name>\w+)/#)
      where match.owner.dropFirst() != file.module {
        found["\(match.owner).\(match.name)", default: []].insert(file.module)
      }
    }
    XCTAssertEqual(found, Self.importers)
  }

  /// Files that ask for the processor elsewhere: inline functions for those that have none, the
  /// numbers of relocations and registers, and the instruction that calls a function.
  private static let severalProcessors: Set = [
    "Sources/Foundations/CBlockRuntimeThreads/Barriers.c",
    "Sources/Foundations/CBlockRuntimeThreads/include/CBRReentrancy.h",
    "Sources/Tracing/CCallTracing/include/CBRTraceTime.h",
    "Sources/Calls/CInvocations/include/CBRCallEntry.h",
    "Sources/Calls/CInvocations/include/CBRCallMemory.h",
    "Sources/Calls/CInvocations/include/CBRFunctions.h",
    "Sources/Calls/CInvocations/include/CBROpaqueCalls.h",
    "Sources/Calls/CInvocations/include/CBRThisThread.h",
    "Sources/Objects/CKeyValueObserving/Callers.c",
    "Sources/Tracing/CQueueTracing/Callers.c",
    "Sources/Tracing/CStaticTracing/WrappedCalls.c",
    "Sources/Tracing/CSymbolInterposing/ImportSlots.c",
    "Sources/Tracing/CSymbolInterposing/SlotIndex.h",
  ]

  func testWhatIsOneProcessorsStandsInItsFolderAndIsCompiledForItOnly() throws {
    let processors = ["x86_64", "aarch64"]
    let asking = try files([".S", ".c", ".h"]).filter { file in
      processors.contains { file.text.contains("__\($0)__") }
        && !(processors + ["other"]).contains { file.path.contains("/\($0)/") }
    }
    XCTAssertEqual(Set(asking.map(\.path)), Self.severalProcessors)
    for file in try files([".S", ".c"]) {
      let folder = processors.first { file.path.contains("/\($0)/") }
      if file.path.hasSuffix(".S") { XCTAssertNotNil(folder, file.path) }
      guard let folder else { continue }
      let code = file.text.split(separator: "\n").first { !$0.hasPrefix("//") }
      XCTAssertEqual(code, "#if defined(__\(folder)__)", file.path)
    }
  }
}
