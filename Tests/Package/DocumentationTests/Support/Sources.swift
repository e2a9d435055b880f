import Foundation
import TestSupport

/// The files of this package.
enum Sources {
  /// The package's directory.
  static let root = PackageFiles.root

  /// The modules that have documentation, lowest layer first.
  static let documentedModules = [
    "BlockRuntimeErrors", "CodeSymbols", "IsolatedClosures", "TypeEncodings", "BlockABI",
    "ObjectLifetimes", "Invocations",
    "DelayedBlocks",
    "KeyValueObserving", "BlockHooks", "MessageForwarding", "BlockRuntime", "CallTracing",
    "CallRecording", "CallMemoization", "CallExpectations", "SymbolInterposing", "QueueTracing",
    "StaticTracing",
    "RetainCycles", "SourceLocations", "HotReload", "TraceLogging", "TraceSpans", "TraceMetrics",
    "InvocationOperations",
    "ObservationBridge",
  ]

  /// Modules that only a trait builds, which this build of the tests has not: their own tests check what
  /// their pages show.
  static let unbuiltModules = ["MessageMacros", "MessageMacrosPlugin", "MemoDatabases"]

  /// The files of these modules are left out.
  static func isBuilt(_ file: String) -> Bool {
    PackageFiles.module(of: file).map { !unbuiltModules.contains($0) } ?? true
  }

  /// The library's modules in C.
  static let modulesInC = [
    "CBlockRuntimeThreads", "CIsolatedClosures", "CLoadedImages", "CBlockABI", "CObjectLifetimes",
    "CDelayedBlocks",
    "CKeyValueObserving", "CObservationBridge", "CInvocations", "CCallTracing", "CTracePage",
    "CMessageForwarding",
    "CSymbolInterposing", "CQueueTracing", "CWrappedFunctions", "CStaticTracing",
  ]

  /// The files of a folder that have one of these endings, from the package's root, in order.
  ///
  /// - Parameters:
  ///   - folder: Its path from the package's root.
  ///   - ending: The end of the files' names.
  /// - Returns: Their paths.
  static func files(in folder: String, ending: String) -> [String] {
    let place = root.appendingPathComponent(folder).path
    return (FileManager.default.enumerator(atPath: place)?.compactMap { $0 as? String } ?? [])
      .filter { $0.hasSuffix(ending) }.sorted().map { "\(folder)/\($0)" }
  }

  /// Every document: the README, `Docs`, and the catalogs of the modules that are built.
  static var documents: [String] {
    ["README.md"] + files(in: "Docs", ending: ".md")
      + files(in: "Sources", ending: ".md").filter(isBuilt)
  }

  /// Every document, those of modules that are not built and of the examples too.
  static var allDocuments: [String] {
    ["README.md", "CONTRIBUTING.md"]
      + ["Docs", "Sources", "Examples"].flatMap { files(in: $0, ending: ".md") }
      .filter { !$0.contains("/.build/") }
  }

  /// Calls a closure with each line of a file, and its number, counted from 1.
  ///
  /// - Parameters:
  ///   - path: The path from the package's root.
  ///   - body: The closure.
  /// - Throws: What reading the file, or the closure, throws.
  static func forEachLine(
    of path: String, _ body: (Substring, Int) throws -> Void
  ) throws {
    let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      try body(line, index + 1)
    }
  }

  /// A module's page, from the package's root.
  ///
  /// - Parameter module: The module's name.
  /// - Returns: The page's path.
  static func page(of module: String) -> String {
    "\(PackageFiles.folder(of: module))/\(module).docc/\(module).md"
  }
}
