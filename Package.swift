// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// MARK: - Other packages

// What only some need is behind traits, so that others do not fetch it: a client has those that it
// names, a clone one that stands for all of them. SwiftPM passes enabled traits to the compiler in an
// order that differs from run to run, so that two would build everything again each other time.
// SwiftPM reads a dependency's manifest first in its repository, without a directory, and then in its
// checkout.
let isDependency =
  ["/", ""].contains(Context.packageDirectory)
  || Context.packageDirectory.contains("/checkouts/")

/// A product of another package, which is fetched only where one of the traits is enabled.
func external(_ name: String, _ package: String, _ traits: Set<String>) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: traits))
}
let logging = external("Logging", "swift-log", ["Logging", "Everything"])
let spans = external("Tracing", "swift-distributed-tracing", ["Spans", "Everything"])
let spansInMemory = external(
  "InMemoryTracing", "swift-distributed-tracing", ["Spans", "Everything"])
let metrics = external("Metrics", "swift-metrics", ["Metrics", "Everything"])
let metricsInTests = external("MetricsTestKit", "swift-metrics", ["Metrics", "Everything"])
let arguments = external("ArgumentParser", "swift-argument-parser", ["CommandLine", "Everything"])

// These take minutes, and GRDB needs SQLite's headers: `Everything` leaves them out.
let database = external("GRDB", "GRDB.swift", ["Database"])
let sqlite = external("GRDBSQLite", "GRDB.swift", ["Database"])
let plugin = Target.Dependency.target(
  name: "MessageMacrosPlugin", condition: .when(traits: ["Macros"]))
func syntax(_ names: String...) -> [Target.Dependency] {
  names.map { external("Swift" + $0, "swift-syntax", ["Macros"]) }
}

// MARK: - The table of modules

/// A row: a module in `Sources/<wing>`, the modules it stands on, and its tests in `Tests/<wing>`.
struct Module {
  enum Kind { case part, product, program, macro, tests }

  var kind: Kind
  var name: String
  /// The modules that it imports, without those which these stand on: they are added.
  var modules: [String]
  var packages: [Target.Dependency]
  /// What its tests use beside it; nil for a module without tests of its own.
  var tests: String?
  var testPackages: [Target.Dependency]

  init(
    _ kind: Kind, _ name: String, _ modules: String = "", packages: [Target.Dependency] = [],
    tests: String? = nil, testPackages: [Target.Dependency] = []
  ) {
    (self.kind, self.name, self.packages) = (kind, name, packages)
    (self.tests, self.testPackages) = (tests, testPackages)
    self.modules = modules.split(separator: " ").map(String.init)
  }
}

func part(_ name: String, _ modules: String = "", tests: String? = nil) -> Module {
  Module(.part, name, modules, tests: tests)
}
func product(_ name: String, _ modules: String, tests: String? = nil) -> Module {
  Module(.product, name, modules, tests: tests)
}

// Modules in C have names that begin with C, and each belongs to the module of its name;
// `CLoadedImages` belongs to several.
let wings: KeyValuePairs<String, [Module]> = [
  "Foundations": [
    part("CBlockRuntimeThreads"),
    part("CLoadedImages", "CBlockRuntimeThreads"),
    part("CIsolatedClosures"),
    part("BlockRuntimeErrors", tests: "CallTracing CallRecording CallMemoization"),
    part("BlockRuntimeThreads", "CBlockRuntimeThreads"),
    part("BlockRuntimeSuggestions"),
    part("LoadedClasses", "CLoadedImages"),
    part(
      "IsolatedClosures", "BlockRuntimeErrors BlockRuntimeThreads CIsolatedClosures",
      tests: "BlockRuntime"),
  ],
  "Calls": [
    part("CBlockABI", "CBlockRuntimeThreads"),
    part("CInvocations", "CLoadedImages CBlockABI"),
    part("CExperimentalSwiftMethods", "CInvocations"),
    product("AutoreleasedResults", "CInvocations"),
    product("TypeEncodings", "BlockRuntimeErrors", tests: ""),
    part("BlockABI", "TypeEncodings BlockRuntimeThreads CBlockABI CLoadedImages", tests: ""),
    product(
      "Invocations", "BlockABI CInvocations CBlockRuntimeFFI",
      tests: "BlockHooks AutoreleasedResults"),
    product("BlockHooks", "Invocations DelayedBlocks", tests: "AutoreleasedResults"),
    product("CallRecording", "BlockHooks", tests: ""),
    product("CallMemoization", "BlockHooks", tests: "AutoreleasedResults"),
    // Results that survive the process.
    Module(
      .product, "MemoDatabases", "CallMemoization", packages: [database, sqlite],
      tests: "MemoProgram AutoreleasedResults", testPackages: [database]),
    // Hooks of Swift's own methods.
    product(
      "ExperimentalSwiftMethods",
      "BlockHooks BlockRuntimeSuggestions LoadedClasses CExperimentalSwiftMethods",
      tests: "SwiftMethodFixtures"),
  ],
  "Objects": [
    part("CObjectLifetimes", "CLoadedImages"),
    part("CDelayedBlocks", "CBlockRuntimeThreads"),
    part("CKeyValueObserving", "CBlockRuntimeThreads"),
    part("CObservationBridge", "CBlockRuntimeThreads"),
    part("CMessageForwarding", "CInvocations"),
    part("CMessageMacros"),
    product(
      "ObjectLifetimes", "IsolatedClosures LoadedClasses CObjectLifetimes", tests: ""),
    product("DelayedBlocks", "ObjectLifetimes CDelayedBlocks", tests: ""),
    product(
      "KeyValueObserving", "DelayedBlocks BlockRuntimeSuggestions CKeyValueObserving", tests: ""),
    product("ObservationBridge", "KeyValueObserving CObservationBridge"),
    product(
      "MessageForwarding", "BlockHooks BlockRuntimeSuggestions CMessageForwarding",
      tests: "CallMemoization CallTracing"),
    Module(
      .product, "MessageMacros", "MessageForwarding CMessageMacros", packages: [plugin], tests: ""),
    Module(
      .macro, "MessageMacrosPlugin",
      packages: syntax(
        "Syntax", "SyntaxMacros", "Parser", "SyntaxBuilder", "Diagnostics", "CompilerPlugin")),
    // Invocations on Foundation's operation queues: the one module that imports Foundation.
    product("InvocationOperations", "MessageForwarding", tests: ""),
  ],
  "Tracing": [
    part("CCallTracing", "CLoadedImages"),
    part("CTracePage"),
    part("CSymbolInterposing", "CInvocations"),
    part("CQueueTracing", "CSymbolInterposing"),
    product("CallTracing", "BlockHooks CCallTracing CTracePage", tests: "CallRecording"),
    // Imports of C functions, and every block: a client has to ask for what changes other objects.
    product(
      "SymbolInterposing", "BlockHooks BlockRuntimeSuggestions CSymbolInterposing",
      tests: "BlockRuntime QueueTracing"),
    // Traces of both, of queues and of Swift tasks.
    product("QueueTracing", "CallTracing SymbolInterposing CQueueTracing", tests: ""),
    Module(
      .product, "TraceLogging", "CallTracing", packages: [logging], tests: "",
      testPackages: [logging]),
    Module(
      .product, "TraceSpans", "CallTracing SymbolInterposing", packages: [spans],
      tests: "MessageForwarding",
      testPackages: [spans, spansInMemory]),
    Module(
      .product, "TraceMetrics", "CallTracing SymbolInterposing", packages: [metrics],
      tests: "MessageForwarding",
      testPackages: [metrics, metricsInTests]),
  ],
  "": [product("BlockRuntime", "KeyValueObserving MessageForwarding")],
]

// The command line and the tests, which nobody sees who uses the package: their targets have flags that
// are refused in dependencies.
let programs: [Module] = [
  Module(
    .program, "HookDemo",
    "TracingCommands CallDocuments BlockRuntime CallRecording CallMemoization CDemoBlocks",
    packages: [arguments], tests: ""),
  Module(
    .part, "CallDocuments", "CommandOptionsAndResults", packages: [arguments], tests: "HookDemo"),
  Module(
    .part, "TracingCommands", "CommandOptionsAndResults BlockRuntimeSuggestions",
    packages: [arguments],
    tests: "HookDemo ContextProgram"),
  Module(
    .part, "CommandOptionsAndResults", "CallTracing", packages: [arguments], tests: "HookDemo"),
  part("CDemoBlocks"),
  // What `hook-demo trace` has loaded into programs.
  part("CBlockTracer"),
  part("BlockTracer", "QueueTracing CBlockTracer"),
]

// In `Tests`: what tests share or start, and tests of more than a module.
let testWings: KeyValuePairs<String, [Module]> = [
  "Support": [
    part("CTestSupport"),
    part("CFixtures", "CInvocations CCallTracing"),
    part("TestSupport", "BlockRuntimeErrors CTestSupport CFixtures"),
  ],
  "Foundations": [Module(.tests, "MemoryModelTests", "TestSupport")],
  "Calls": [
    Module(.tests, "OracleTests", "BlockHooks TestSupport"),
    part("SwiftMethodFixtures"),
    Module(.program, "MemoProgram", "MemoDatabases SymbolInterposing"),
  ],
  "Objects": [
    // The bridge, once linked, is there for the whole process: no test target depends on the program, because
    // the program of all tests would link what it does. `swift build --build-tests` builds it.
    Module(.program, "ObservationProbe", "ObservationBridge CFixtures"),
    Module(.tests, "ObservationBridgeTests", "TestSupport"),
    // Apart from the other tests of macros, whose optimised build then needs swift-syntax for the plugin only.
    Module(
      .tests, "MessageMacrosPluginTests",
      packages: [plugin]
        + syntax("Syntax", "Parser", "Diagnostics", "SyntaxMacros", "SyntaxMacroExpansion")),
  ],
  "Tracing": [Module(.program, "ContextProgram", "TraceSpans", packages: [spans])],
  "Package": [
    Module(
      .program, "EnvironmentProbe", "MessageForwarding CallTracing SymbolInterposing CFixtures"),
    Module(
      .program, "ContendedProgram", "BlockRuntime CallMemoization CallTracing SymbolInterposing"),
    Module(.tests, "EnvironmentTests", "EnvironmentProbe ContendedProgram TestSupport"),
    Module(
      .tests, "DocumentationTests",
      """
      BlockRuntime CallRecording CallMemoization ExperimentalSwiftMethods QueueTracing TraceLogging \
      TraceSpans TraceMetrics InvocationOperations AutoreleasedResults TestSupport
      """, packages: [spansInMemory, metricsInTests]),
    // Stories: each is read from the top, and runs alone.
    Module(.tests, "Experiments", "BlockRuntime CallMemoization SymbolInterposing TestSupport"),
  ],
]

// MARK: - The targets that the table describes

let package = Package(
  name: "swift-block-runtime",
  traits: [
    .trait(name: "CommandLine", description: "The program hook-demo (swift-argument-parser)."),
    .trait(name: "Logging", description: "The library TraceLogging (swift-log)."),
    .trait(name: "Spans", description: "The library TraceSpans (swift-distributed-tracing)."),
    .trait(name: "Metrics", description: "The library TraceMetrics (swift-metrics)."),
    .trait(name: "Macros", description: "The library MessageMacros (swift-syntax)."),
    .trait(name: "Database", description: "The library MemoDatabases (GRDB)."),
    .trait(
      name: "Everything",
      description: "All of the package but macros and the database, as a clone has it."),
    .default(enabledTraits: isDependency ? [] : ["Everything"]),
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

var rows: [(path: String, module: Module)] = wings.flatMap { wing, modules in
  modules.map { (wing.isEmpty ? "Sources" : "Sources/\(wing)", $0) }
}
if !isDependency {
  rows += programs.map { ("Sources/Programs", $0) }
  rows += testWings.flatMap { wing, modules in modules.map { ("Tests/\(wing)", $0) } }
  for (path, module) in rows {
    guard let tests = module.tests else { continue }
    let modules = "\(module.name) TestSupport \(tests)"
    rows.append(
      (
        path.replacing("Sources", with: "Tests"),
        Module(.tests, module.name + "Tests", modules, packages: module.testPackages)
      ))
  }
}

// Some test targets, and what they need: `Scripts/test --only NAME`. With macros and the database come the
// examples that use them, which otherwise are packages of their own.
let chosen = (Context.environment["BLOCKRUNTIME_TEST_TARGETS"] ?? "").split(separator: " ")
  .map(String.init)
let examples = [
  "Macros": ["FirstMacros", "ForwardedProtocol", "PortedDelegates", "TypedMessages"],
  "Database": ["StoredSquares"],
].filter { chosen.contains("Examples/\($0.key)") }
for (folder, programs) in examples {
  let module = folder == "Macros" ? "MessageMacros" : "MemoDatabases"
  rows += programs.map {
    ("Examples/\(folder)", Module(.program, $0, "\(module) BlockRuntime"))
  }
  for index in rows.indices where rows[index].module.name == module + "Tests" {
    rows[index].module.modules += programs
  }
}
let modulesBelow = Dictionary(
  uniqueKeysWithValues: rows.map { ($0.module.name, $0.module.modules) })

/// Modules and all that they stand on, each once.
func closure(of names: [String]) -> [String] {
  var found: [String] = []
  func visit(_ name: String) {
    guard !found.contains(name) else { return }
    found.append(name)
    (modulesBelow[name] ?? []).forEach(visit)
  }
  names.forEach(visit)
  return found
}

if !isDependency, !chosen.isEmpty {
  var needed = closure(of: chosen)
  // The tracer is loaded into programs; tests start the probe, or compile against its modules.
  for (name, other) in [
    ("TracingCommands", "BlockTracer"), ("ObservationBridgeTests", "ObservationProbe"),
    ("DocumentationTests", "ObservationProbe"), ("MessageMacros", "MessageMacrosPlugin"),
  ] where needed.contains(name) { needed += closure(of: [other]) }
  rows.removeAll { !needed.contains($0.module.name) }
}

for (path, module) in rows {
  let (name, path) = (module.name, "\(path)/\(module.name)")
  let dependencies =
    closure(of: module.modules).map { Target.Dependency.byName(name: $0) } + module.packages
  switch module.kind {
  case .part, .product:
    package.targets.append(.target(name: name, dependencies: dependencies, path: path))
  case .program:
    package.targets.append(.executableTarget(name: name, dependencies: dependencies, path: path))
  case .macro: package.targets.append(.macro(name: name, dependencies: dependencies, path: path))
  case .tests:
    package.targets.append(.testTarget(name: name, dependencies: dependencies, path: path))
  }
  if module.kind == .product { package.products.append(.library(name: name, targets: [name])) }
}
if target("HookDemo") != nil {
  package.products.append(.executable(name: "hook-demo", targets: ["HookDemo"]))
}
if target("BlockTracer") != nil {
  package.products.append(.library(name: "BlockTracer", type: .dynamic, targets: ["BlockTracer"]))
}

// What the table does not say.
@MainActor func target(_ name: String) -> Target? { package.targets.first { $0.name == name } }
target("CTracePage")?.exclude = ["Page"]
target("DocumentationTests")?.exclude = ["SnippetContext"]
target("TracingCommandsTests")?.exclude = ["Programs"]  // tests compile them
for name in ["CDemoBlocks", "CTestSupport", "CFixtures"] {
  target(name)?.cSettings = [.unsafeFlags(["-fblocks"])]
}
target("CDemoBlocks")?.linkerSettings = [
  .linkedLibrary("dispatch"), .linkedLibrary("BlocksRuntime"),
]
// The tracer shows the programs no symbols.
target("BlockTracer")?.exclude = ["BlockTracer.map"]
target("BlockTracer")?.linkerSettings = [
  .unsafeFlags([
    "-Xlinker",
    "--version-script=\(Context.packageDirectory)/Sources/Programs/BlockTracer/BlockTracer.map",
  ])
]

let strictness: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatWarning("StrictMemorySafety", as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// Warnings are errors where the sources are checked, not where they are used.
let warnings: [SwiftSetting] =
  Context.environment["WARNINGS_AS_ERRORS"] == nil ? [] : [.treatAllWarnings(as: .error)]

// The names of targets in C begin with it: C, and a capital letter.
func isInC(_ target: Target) -> Bool {
  target.name == "AutoreleasedResults"
    || (target.name.hasPrefix("C") && target.name.dropFirst().first?.isUppercase == true)
}

for target in package.targets where target.type != .system && !isInC(target) {
  target.swiftSettings = (target.swiftSettings ?? []) + strictness + warnings
}

// Who uses the package resolves no plugin: `Scripts/docs` asks for it.
if Context.environment["BUILD_DOCUMENTATION"] != nil {
  package.dependencies.append(
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}
