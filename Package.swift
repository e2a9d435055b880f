// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// MARK: - Other packages

// What only some need is behind traits, so that others do not fetch it; none is on by default. A client
// names those that it needs. Scripts name one, `Everything`: SwiftPM passes several to the compiler in an
// order that differs from run to run, so that two would build everything again each other time. It leaves
// out what takes minutes: macros, and the database, which needs SQLite's headers.
var external: [String: Target.Dependency] = [:]
external["MessageMacrosPlugin"] = .target(
  name: "MessageMacrosPlugin", condition: .when(traits: ["Macros"]))
// A package, its traits, and its products.
let otherPackages = """
  swift-argument-parser Everything: ArgumentParser
  swift-log Logging Everything: Logging
  swift-distributed-tracing Spans Everything: Tracing InMemoryTracing
  swift-metrics Metrics Everything: Metrics MetricsTestKit
  GRDB.swift Database: GRDB GRDBSQLite
  swift-syntax Macros: SwiftSyntax SwiftSyntaxMacros SwiftSyntaxMacroExpansion SwiftParser SwiftSyntaxBuilder \
  SwiftDiagnostics SwiftCompilerPlugin
  """
for line in otherPackages.split(separator: "\n") {
  let halves = line.split(separator: ":").map { $0.split(separator: " ").map(String.init) }
  for name in halves[1] {
    external[name] = .product(
      name: name, package: halves[0][0], condition: .when(traits: Set(halves[0][1...])))
  }
}

// MARK: - The table of modules

// A line in a folder: what the module is, its name, and what it stands on, without what that stands on; behind
// the bar, if it has tests of its own, what these use beside it. Modules in C have names that begin with C, and
// each belongs to the module of its name; `CLoadedImages` belongs to several.
let table = """
  Sources/Foundations
    part CBlockRuntimeThreads
    part CLoadedImages CBlockRuntimeThreads
    part CIsolatedClosures
    part BlockRuntimeErrors | CallTracing CallRecording CallMemoization
    part BlockRuntimeThreads CBlockRuntimeThreads
    part BlockRuntimeSuggestions
    part CodeSymbols CLoadedImages
    // Files and lines, by a process of the toolchain.
    product SourceLocations CodeSymbols BlockRuntimeErrors | KeyValueObserving
    part LoadedClasses CLoadedImages
    part IsolatedClosures BlockRuntimeErrors BlockRuntimeThreads CIsolatedClosures | BlockRuntime
  Sources/Calls
    part CBlockABI CBlockRuntimeThreads
    part CInvocations CLoadedImages CBlockABI
    product AutoreleasedResults CInvocations
    product TypeEncodings BlockRuntimeErrors BlockRuntimeSuggestions |
    part BlockABI TypeEncodings CodeSymbols BlockRuntimeThreads CBlockABI |
    product Invocations BlockABI CInvocations CBlockRuntimeFFI | BlockHooks AutoreleasedResults
    product BlockHooks Invocations DelayedBlocks | AutoreleasedResults
    product CallExpectations BlockHooks | MessageForwarding
    product CallRecording BlockHooks | MessageForwarding SymbolInterposing
    product CallMemoization BlockHooks | AutoreleasedResults
    // Results that survive the process.
    product MemoDatabases CallMemoization GRDB GRDBSQLite | MemoProgram AutoreleasedResults MessageForwarding GRDB
    // What a program is told of functions that were replaced while it runs.
    product HotReload BlockRuntimeThreads |
  Sources/Objects
    part CObjectLifetimes CLoadedImages
    part CDelayedBlocks CBlockRuntimeThreads
    part CKeyValueObserving CBlockRuntimeThreads
    part CObservationBridge CBlockRuntimeThreads
    part CMessageForwarding CInvocations CObjectLifetimes
    part CMessageMacros
    product ObjectLifetimes IsolatedClosures LoadedClasses CObjectLifetimes |
    // Who keeps an object alive.
    product RetainCycles BlockABI ObjectLifetimes | BlockRuntime
    product DelayedBlocks ObjectLifetimes CDelayedBlocks |
    product KeyValueObserving DelayedBlocks BlockRuntimeSuggestions CodeSymbols CKeyValueObserving MessageMacrosPlugin |
    product ObservationBridge KeyValueObserving CObservationBridge
    product MessageForwarding BlockHooks BlockRuntimeSuggestions CMessageForwarding | CallMemoization CallTracing
    product MessageMacros MessageForwarding CMessageMacros MessageMacrosPlugin | KeyValueObserving
    macro MessageMacrosPlugin SwiftSyntax SwiftSyntaxMacros SwiftParser SwiftSyntaxBuilder SwiftDiagnostics SwiftCompilerPlugin
    // Invocations on Foundation's operation queues: the one module that imports Foundation.
    product InvocationOperations KeyValueObserving MessageForwarding |
  Sources/Tracing
    part CCallTracing CLoadedImages
    part CTracePage
    part CSymbolInterposing CInvocations
    part CQueueTracing CSymbolInterposing
    product CallTracing BlockHooks CCallTracing CTracePage | CallRecording
    // Imports of C functions, and every block: a client has to ask for what changes other objects.
    product SymbolInterposing BlockHooks BlockRuntimeSuggestions CSymbolInterposing | BlockRuntime QueueTracing
    // Traces of both, of queues and of Swift tasks.
    product QueueTracing CallTracing SymbolInterposing CQueueTracing |
    // The tracer's start, in the library that is preloaded, or in a program that contains the tracer.
    part TracerStart QueueTracing
    part CWrappedFunctions
    part CStaticTracing CWrappedFunctions CSymbolInterposing CLoadedImages
    product StaticTracing TracerStart CStaticTracing CodeSymbols
    product TraceLogging CallTracing Logging | Logging
    product TraceSpans CallTracing SymbolInterposing Tracing | MessageForwarding Tracing InMemoryTracing
    product TraceMetrics CallTracing SymbolInterposing Metrics | MessageForwarding Metrics MetricsTestKit
  Sources
    product BlockRuntime KeyValueObserving MessageForwarding
  // The command line and the tests: no library stands on them, as some have flags that are refused in dependencies.
  Sources/Programs
    program HookDemo TracingCommands CallDocuments DemoScenes CallRecording CallMemoization CDemoBlocks ArgumentParser |
    part CallDocuments CommandOptionsAndResults ArgumentParser | HookDemo
    part TracingCommands CommandOptionsAndResults SourceLocations CWrappedFunctions BlockRuntimeSuggestions ArgumentParser | HookDemo ContextProgram
    part CommandOptionsAndResults CallTracing ArgumentParser | HookDemo
    part CDemoBlocks
    // What `hook-demo trace` has loaded into programs.
    part CBlockTracer CInvocations
    part BlockTracer TracerStart CBlockTracer
    // Hot reload: what compiles changed functions, and what is loaded into the program.
    program HotReloader SwiftSyntax SwiftParser |
    part CReloadAgent
  // What the command line, the examples and the experiments show.
  Examples/PlayedScenes
    part DemoScenes BlockRuntime
  // What tests share or start, and tests of more than a module.
  Tests/Support
    part CTestSupport
    part CFixtures CInvocations CCallTracing
    part TestSupport BlockRuntimeErrors CTestSupport CFixtures
  Tests/Foundations
    tests MemoryModelTests TestSupport
  Tests/Calls
    tests OracleTests BlockHooks TestSupport
    program MemoProgram MemoDatabases SymbolInterposing
  Tests/Objects
    // The bridge, once linked, is there for the whole process: no test target depends on the program, because the
    // program of all tests would link what it does. `swift build --build-tests` builds it.
    program ObservationProbe ObservationBridge CFixtures
    tests ObservationBridgeTests TestSupport
    // Apart from the other tests of macros, whose optimised build then needs swift-syntax for the plugin only.
    tests MessageMacrosPluginTests MessageMacrosPlugin SwiftSyntax SwiftParser SwiftDiagnostics SwiftSyntaxMacros SwiftSyntaxMacroExpansion
  Tests/Tracing
    program ContextProgram TraceSpans Tracing
  Tests/Package
    program EnvironmentProbe KeyValueObserving MessageForwarding CallTracing SymbolInterposing CFixtures
    program ContendedProgram BlockRuntime CallMemoization CallTracing SymbolInterposing
    tests EnvironmentTests EnvironmentProbe ContendedProgram TestSupport
    tests DocumentationTests BlockRuntime HotReload RetainCycles SourceLocations CallRecording CallMemoization CallExpectations QueueTracing \
    TraceLogging TraceSpans TraceMetrics InvocationOperations AutoreleasedResults TestSupport InMemoryTracing MetricsTestKit
    // Stories: each is read from the top, and runs alone.
    tests Experiments DemoScenes CallMemoization SymbolInterposing TestSupport
  """

struct Module {
  enum Kind: String { case part, product, program, macro, tests }
  let kind: Kind
  let name: String
  let folder: String
  var uses: [String]
}

var (modules, folder) = ([Module](), "")
for line in table.split(separator: "\n") where !line.contains("//") {
  guard line.hasPrefix(" ") else {
    folder = String(line)
    continue
  }
  let halves = line.split(separator: "|", omittingEmptySubsequences: false)
    .map { $0.split(separator: " ").map(String.init) }
  let name = halves[0][1]
  guard let kind = Module.Kind(rawValue: halves[0][0]) else { fatalError("No kind: \(line)") }
  modules.append(Module(kind: kind, name: name, folder: folder, uses: Array(halves[0][2...])))
  guard halves.count == 2 else { continue }
  modules.append(
    Module(
      kind: .tests, name: name + "Tests", folder: folder.replacing("Sources", with: "Tests"),
      uses: [name, "TestSupport"] + halves[1]))
}

// MARK: - The targets that the table describes

let package = Package(
  name: "swift-block-runtime",
  traits: [
    .trait(name: "Logging", description: "The library TraceLogging (swift-log)."),
    .trait(name: "Spans", description: "The library TraceSpans (swift-distributed-tracing)."),
    .trait(name: "Metrics", description: "The library TraceMetrics (swift-metrics)."),
    .trait(name: "Macros", description: "The library MessageMacros (swift-syntax)."),
    .trait(name: "Database", description: "The library MemoDatabases (GRDB)."),
    .trait(
      name: "Everything", description: "hook-demo, and all libraries without macros or database."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/swiftlang/swift-syntax", "600.0.1"..<"604.0.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CBlockRuntimeFFI", path: "Sources/Calls/CBlockRuntimeFFI", pkgConfig: "libffi",
      providers: [.apt(["libffi-dev"])])
  ]
)

// Some test targets, and what they need: `Scripts/test --only NAME`. With macros and the database come the
// examples that use them, which otherwise are packages of their own.
let chosen = (Context.environment["BLOCKRUNTIME_TEST_TARGETS"] ?? "").split(separator: " ").map(
  String.init)
let examples = """
  Macros MessageMacros FirstMacros ForwardedProtocol ForwardedToOriginal HookableFunctions HookedCalls PortedDelegates \
  TypedMessages
  Database MemoDatabases StoredSquares
  """
for line in examples.split(separator: "\n") {
  let words = line.split(separator: " ").map(String.init)
  let folder = "Examples/\(words[0])"
  for name in words[2...] where chosen.contains(folder) {
    modules.append(
      Module(kind: .program, name: name, folder: folder, uses: [words[1], "BlockRuntime"]))
    for index in modules.indices where modules[index].name == words[1] + "Tests" {
      modules[index].uses.append(name)
    }
  }
}
let uses = Dictionary(uniqueKeysWithValues: modules.map { ($0.name, $0.uses) })

/// Modules and all that they stand on, each once.
func closure(of names: [String], after found: [String] = []) -> [String] {
  names.reduce(found) { found, name in
    found.contains(name) ? found : closure(of: uses[name] ?? [], after: found + [name])
  }
}

if !chosen.isEmpty {
  var needed = closure(of: chosen)
  // The tracer and the agent are loaded into programs; tests start the probe, or compile against its modules.
  for (name, other) in [
    ("TracingCommands", "BlockTracer"), ("ObservationBridgeTests", "ObservationProbe"),
    ("DocumentationTests", "ObservationProbe"), ("HotReloaderTests", "CReloadAgent"),
  ] where needed.contains(name) { needed += closure(of: [other]) }
  modules.removeAll { !needed.contains($0.name) }
}

for module in modules {
  let (name, path) = (module.name, "\(module.folder)/\(module.name)")
  // Other packages' products are named by each module that uses them.
  let dependencies = closure(of: module.uses).compactMap { used in
    external[used].map { module.uses.contains(used) ? $0 : nil } ?? .byName(name: used)
  }
  let target: Target =
    switch module.kind {
    case .part, .product: .target(name: name, dependencies: dependencies, path: path)
    case .program: .executableTarget(name: name, dependencies: dependencies, path: path)
    case .macro: .macro(name: name, dependencies: dependencies, path: path)
    case .tests: .testTarget(name: name, dependencies: dependencies, path: path)
    }
  package.targets.append(target)
  if module.kind == .product { package.products.append(.library(name: name, targets: [name])) }
}
for (name, product) in [("HookDemo", "hook-demo"), ("HotReloader", "hot-reload")]
where target(name) != nil {
  package.products.append(.executable(name: product, targets: [name]))
}
for (name, product) in [("BlockTracer", "BlockTracer"), ("CReloadAgent", "ReloadAgent")]
where target(name) != nil {
  package.products.append(.library(name: product, type: .dynamic, targets: [name]))
}

// What the table does not say.
@MainActor func target(_ name: String) -> Target? { package.targets.first { $0.name == name } }
for (name, excluded) in [
  ("CTracePage", "Page"), ("DocumentationTests", "SnippetContext"),
  ("TracingCommandsTests", "Programs"), ("BlockTracer", "BlockTracer.map"),
] { target(name)?.exclude = [excluded] }
for name in ["CDemoBlocks", "CTestSupport", "CFixtures"] {
  target(name)?.cSettings = [.unsafeFlags(["-fblocks"])]
}
target("CDemoBlocks")?.linkerSettings = ["dispatch", "BlocksRuntime"].map { .linkedLibrary($0) }
// The tracer shows the programs no symbols.
let symbols = "\(Context.packageDirectory)/Sources/Programs/BlockTracer/BlockTracer.map"
target("BlockTracer")?.linkerSettings = [.unsafeFlags(["-Xlinker", "--version-script=\(symbols)"])]

let strictness: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .strictMemorySafety(), .treatWarning("StrictMemorySafety", as: .error),
  .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

// Warnings are errors where the sources are checked, not where they are used.
let warnings: [SwiftSetting] =
  Context.environment["WARNINGS_AS_ERRORS"] == nil ? [] : [.treatAllWarnings(as: .error)]

// The names of targets in C begin with it: C, and a capital letter.
for target in package.targets
where target.type != .system && target.name.prefixMatch(of: /C[A-Z]|AutoreleasedResults/) == nil {
  target.swiftSettings = (target.swiftSettings ?? []) + strictness + warnings
}

// Who uses the package resolves no plugin: `Scripts/docs` asks for it.
if Context.environment["BUILD_DOCUMENTATION"] != nil {
  package.dependencies.append(
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}
