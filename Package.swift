// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// What only some need is behind traits, so that others do not fetch it: a client has those that it names,
// a clone one that stands for all of them. SwiftPM passes enabled traits to the compiler in an order that
// differs from run to run, so that two would build everything again each other time.
// SwiftPM reads a dependency's manifest first in its repository, without a directory, and then in its checkout.
let isDependency =
  ["/", ""].contains(Context.packageDirectory)
  || Context.packageDirectory.contains("/checkouts/")

let logging: Target.Dependency = .product(
  name: "Logging", package: "swift-log", condition: .when(traits: ["Logging", "Everything"]))
let tracing: Target.Dependency = .product(
  name: "Tracing", package: "swift-distributed-tracing",
  condition: .when(traits: ["Spans", "Everything"]))
let metrics: Target.Dependency = .product(
  name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Metrics", "Everything"]))
let argumentParser: Target.Dependency = .product(
  name: "ArgumentParser", package: "swift-argument-parser",
  condition: .when(traits: ["CommandLine", "Everything"]))

// GRDB takes about a minute, and needs SQLite's headers: `Everything` leaves it out as it does macros.
let database: Target.Dependency = .product(
  name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["Database"]))

// Macros are built against swift-syntax, which takes minutes: only who names the trait fetches it, and
// `Everything` does not.
func swiftSyntax(_ name: String) -> Target.Dependency {
  .product(name: name, package: "swift-syntax", condition: .when(traits: ["Macros"]))
}

let package = Package(
  name: "swift-block-runtime",
  products: [
    .library(name: "BlockRuntime", targets: ["BlockRuntime"]),
    .library(name: "TypeEncodings", targets: ["TypeEncodings"]),
    .library(name: "ObjectLifetimes", targets: ["ObjectLifetimes"]),
    .library(name: "DelayedBlocks", targets: ["DelayedBlocks"]),
    .library(name: "KeyValueObserving", targets: ["KeyValueObserving"]),
    .library(name: "ObservationBridge", targets: ["ObservationBridge"]),
    .library(name: "Invocations", targets: ["Invocations"]),
    .library(name: "BlockHooks", targets: ["BlockHooks"]),
    .library(name: "CallTracing", targets: ["CallTracing"]),
    .library(name: "CallRecording", targets: ["CallRecording"]),
    .library(name: "CallMemoization", targets: ["CallMemoization"]),
    .library(name: "MemoDatabases", targets: ["MemoDatabases"]),
    .library(name: "MessageForwarding", targets: ["MessageForwarding"]),
    .library(name: "MessageMacros", targets: ["MessageMacros"]),
    .library(name: "SymbolInterposing", targets: ["SymbolInterposing"]),
    .library(name: "AutoreleasedResults", targets: ["AutoreleasedResults"]),
    .library(name: "TraceLogging", targets: ["TraceLogging"]),
    .library(name: "TraceSpans", targets: ["TraceSpans"]),
    .library(name: "TraceMetrics", targets: ["TraceMetrics"]),
    .library(name: "InvocationOperations", targets: ["InvocationOperations"]),
    .library(name: "ExperimentalSwiftMethods", targets: ["ExperimentalSwiftMethods"]),
  ],
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
    // C: what Swift cannot say. Each belongs to the module of its name; `CLoadedImages` to several.
    .systemLibrary(
      name: "CBlockRuntimeFFI", pkgConfig: "libffi", providers: [.apt(["libffi-dev"])]),
    .target(name: "CBlockRuntimeThreads"),
    .target(name: "CLoadedImages", dependencies: ["CBlockRuntimeThreads"]),
    .target(name: "CBlockABI", dependencies: ["CBlockRuntimeThreads"]),
    .target(name: "CObjectLifetimes", dependencies: ["CBlockRuntimeThreads", "CLoadedImages"]),
    .target(name: "CDelayedBlocks", dependencies: ["CBlockRuntimeThreads"]),
    .target(name: "CKeyValueObserving", dependencies: ["CBlockRuntimeThreads"]),
    .target(name: "CObservationBridge", dependencies: ["CBlockRuntimeThreads"]),
    .target(
      name: "CInvocations", dependencies: ["CBlockRuntimeThreads", "CLoadedImages", "CBlockABI"]),
    .target(name: "CCallTracing", dependencies: ["CBlockRuntimeThreads"]),
    .target(name: "CTracePage", exclude: ["Page"]),
    .target(name: "CMessageForwarding", dependencies: ["CInvocations"]),
    .target(name: "CMessageMacros"),
    .target(name: "CIsolatedClosures"),
    .target(
      name: "CSymbolInterposing",
      dependencies: ["CBlockRuntimeThreads", "CLoadedImages", "CInvocations"]),
    .target(name: "CExperimentalSwiftMethods", dependencies: ["CInvocations"]),
    .target(name: "AutoreleasedResults", dependencies: ["CInvocations"]),

    // The library, lowest layer first.
    .target(name: "BlockRuntimeErrors"),
    .target(name: "TypeEncodings", dependencies: ["BlockRuntimeErrors"]),
    .target(
      name: "BlockABI",
      dependencies: [
        "BlockRuntimeErrors", "TypeEncodings", "BlockRuntimeThreads", "CBlockRuntimeThreads",
        "CBlockABI", "CLoadedImages",
      ]),
    .target(
      name: "ObjectLifetimes",
      dependencies: [
        "BlockRuntimeErrors", "BlockRuntimeThreads", "IsolatedClosures", "LoadedClasses",
        "CObjectLifetimes",
      ]),
    .target(name: "LoadedClasses", dependencies: ["CLoadedImages"]),
    .target(name: "BlockRuntimeThreads", dependencies: ["CBlockRuntimeThreads"]),
    .target(name: "BlockRuntimeSpelling"),
    .target(
      name: "IsolatedClosures",
      dependencies: ["BlockRuntimeErrors", "BlockRuntimeThreads", "CIsolatedClosures"]),
    .target(
      name: "Invocations",
      dependencies: [
        "BlockRuntimeErrors", "TypeEncodings", "BlockABI", "BlockRuntimeThreads",
        "CBlockRuntimeThreads", "CInvocations", "CLoadedImages", "CBlockRuntimeFFI",
      ]),
    .target(
      name: "DelayedBlocks",
      dependencies: [
        "BlockRuntimeErrors", "ObjectLifetimes", "BlockRuntimeThreads", "IsolatedClosures",
        "CDelayedBlocks",
      ]),
    .target(
      name: "KeyValueObserving",
      dependencies: [
        "BlockRuntimeErrors", "ObjectLifetimes", "BlockRuntimeThreads", "BlockRuntimeSpelling",
        "DelayedBlocks", "IsolatedClosures", "CKeyValueObserving",
      ]),
    .target(
      name: "ObservationBridge",
      dependencies: ["KeyValueObserving", "BlockRuntimeThreads", "CObservationBridge"]),
    .target(
      name: "BlockHooks",
      dependencies: [
        "BlockRuntimeErrors", "TypeEncodings", "BlockABI", "BlockRuntimeThreads", "Invocations",
        "DelayedBlocks", "IsolatedClosures", "CInvocations",
      ]),
    .target(
      name: "CallTracing",
      dependencies: [
        "BlockRuntimeErrors", "TypeEncodings", "BlockABI", "BlockRuntimeThreads", "Invocations",
        "DelayedBlocks",
        "BlockHooks", "CBlockRuntimeThreads",
        "CCallTracing", "CTracePage",
      ]),
    .target(
      name: "CallRecording",
      dependencies: [
        "BlockRuntimeErrors", "TypeEncodings", "BlockABI", "BlockRuntimeThreads", "Invocations",
        "BlockHooks",
      ]),
    .target(
      name: "CallMemoization",
      dependencies: [
        "BlockRuntimeErrors", "TypeEncodings", "BlockABI", "BlockRuntimeThreads", "Invocations",
        "DelayedBlocks",
        "BlockHooks",
      ]),
    // Results that survive the process: the one target that depends on GRDB.
    .target(
      name: "MemoDatabases",
      dependencies: [
        "BlockRuntimeErrors", "TypeEncodings", "BlockABI", "BlockRuntimeThreads", "Invocations",
        "BlockHooks", "CallMemoization", database,
      ]),
    .target(
      name: "MessageForwarding",
      dependencies: [
        "BlockRuntimeErrors", "TypeEncodings", "BlockABI", "ObjectLifetimes", "BlockRuntimeThreads",
        "BlockRuntimeSpelling",
        "Invocations",
        "DelayedBlocks", "BlockHooks", "IsolatedClosures", "CMessageForwarding",
      ]),
    .target(
      name: "BlockRuntime",
      dependencies: [
        "BlockRuntimeErrors", "IsolatedClosures", "TypeEncodings", "BlockABI", "ObjectLifetimes",
        "Invocations",
        "DelayedBlocks", "BlockHooks", "KeyValueObserving", "MessageForwarding",
      ]
    ),

    // Forwarders of protocols, made by macros: the targets that depend on swift-syntax.
    .target(
      name: "MessageMacros",
      dependencies: [
        "BlockRuntimeErrors", "BlockRuntimeThreads", "ObjectLifetimes", "Invocations",
        "MessageForwarding", "CMessageMacros",
        .target(name: "MessageMacrosPlugin", condition: .when(traits: ["Macros"])),
      ]),
    .macro(
      name: "MessageMacrosPlugin",
      dependencies: [
        swiftSyntax("SwiftSyntax"), swiftSyntax("SwiftSyntaxMacros"), swiftSyntax("SwiftParser"),
        swiftSyntax("SwiftSyntaxBuilder"), swiftSyntax("SwiftDiagnostics"),
        swiftSyntax("SwiftCompilerPlugin"),
      ]),

    // Imports of C functions, and every block: a product of its own, for it changes other objects.
    .target(
      name: "SymbolInterposing",
      dependencies: [
        "BlockRuntimeErrors", "TypeEncodings", "BlockABI", "BlockRuntimeThreads",
        "BlockRuntimeSpelling", "Invocations",
        "BlockHooks",
        "CallTracing", "CSymbolInterposing",
      ]),

    // An experiment: hooks of Swift's own methods.
    .target(
      name: "ExperimentalSwiftMethods",
      dependencies: [
        "BlockRuntimeErrors", "TypeEncodings", "BlockABI", "BlockRuntimeThreads", "Invocations",
        "BlockHooks",
        "BlockRuntimeSpelling", "LoadedClasses",
        "CExperimentalSwiftMethods",
      ]),

    // Traces as log messages: the one target that depends on swift-log.
    .target(name: "TraceLogging", dependencies: ["CallTracing", logging]),

    // Calls as spans and as metrics: the targets that depend on swift-distributed-tracing and swift-metrics.
    .target(
      name: "TraceSpans",
      dependencies: [
        "BlockHooks", "CallTracing", "Invocations", "SymbolInterposing", tracing,
      ]),
    .target(
      name: "TraceMetrics",
      dependencies: [
        "BlockHooks", "CallTracing", "Invocations", "SymbolInterposing", "BlockRuntimeThreads",
        metrics,
      ]),

    // Invocations on Foundation's operation queues: the one target that imports Foundation.
    .target(
      name: "InvocationOperations",
      dependencies: [
        "BlockRuntimeErrors", "Invocations", "BlockRuntimeThreads", "MessageForwarding",
      ]),
  ]
)

// What nobody sees who uses the package: the command line, whose targets have flags that are refused in
// dependencies, and the tests.
if !isDependency {
  let inMemoryTracing: Target.Dependency = .product(
    name: "InMemoryTracing", package: "swift-distributed-tracing",
    condition: .when(traits: ["Spans", "Everything"]))
  let testMetrics: Target.Dependency = .product(
    name: "MetricsTestKit", package: "swift-metrics",
    condition: .when(traits: ["Metrics", "Everything"]))
  package.products += [
    .executable(name: "hook-demo", targets: ["HookDemo"]),
    .library(name: "BlockTracer", type: .dynamic, targets: ["BlockTracer"]),
  ]
  package.targets += [
    // The command line.
    .executableTarget(
      name: "HookDemo",
      dependencies: [
        "CommandConventions", "CallDocuments", "TracingCommands", "BlockRuntime", "CallTracing",
        "CallRecording", "CallMemoization", "BlockRuntimeThreads", "BlockRuntimeSpelling",
        "CDemoBlocks", argumentParser,
      ]),
    .target(
      name: "CallDocuments",
      dependencies: ["CommandConventions", "TypeEncodings", "Invocations", argumentParser]),
    .target(
      name: "TracingCommands",
      dependencies: [
        "CommandConventions", "Invocations", "BlockHooks", "CallTracing", "BlockRuntimeThreads",
        "BlockRuntimeSpelling", argumentParser,
      ]),
    // What their commands have in common.
    .target(
      name: "CommandConventions",
      dependencies: ["TypeEncodings", "Invocations", "CallTracing", argumentParser]),
    .target(
      name: "CDemoBlocks", cSettings: [.unsafeFlags(["-fblocks"])],
      linkerSettings: [.linkedLibrary("dispatch"), .linkedLibrary("BlocksRuntime")]),

    // The library that `hook-demo trace` has loaded into programs: it shows them no symbols.
    .target(name: "CBlockTracer"),
    .target(
      name: "BlockTracer",
      dependencies: ["BlockHooks", "CallTracing", "SymbolInterposing", "CBlockTracer"],
      exclude: ["BlockTracer.map"],
      linkerSettings: [
        .unsafeFlags([
          "-Xlinker",
          "--version-script=\(Context.packageDirectory)/Sources/BlockTracer/BlockTracer.map",
        ])
      ]),

    // Tests.
    .target(
      name: "CTestSupport", path: "Tests/CTestSupport", cSettings: [.unsafeFlags(["-fblocks"])]),
    .target(
      name: "CFixtures", dependencies: ["CBlockABI", "CInvocations", "CCallTracing"],
      path: "Tests/CFixtures",
      cSettings: [.unsafeFlags(["-fblocks"])]),
    .target(
      name: "TestSupport", dependencies: ["BlockRuntimeErrors", "CTestSupport", "CFixtures"],
      path: "Tests/TestSupport"),
    .testTarget(
      name: "BlockRuntimeErrorsTests",
      dependencies: [
        "BlockRuntimeErrors", "BlockABI", "Invocations", "BlockHooks", "CallTracing",
        "CallRecording", "CallMemoization", "TestSupport", "CFixtures",
      ]),
    .testTarget(
      name: "TypeEncodingsTests",
      dependencies: ["TypeEncodings", "TestSupport", "CTestSupport", "CFixtures"]),
    .testTarget(
      name: "BlockABITests",
      dependencies: ["BlockABI", "TypeEncodings", "TestSupport", "CFixtures"]),
    .testTarget(
      name: "ObjectLifetimesTests", dependencies: ["ObjectLifetimes", "TestSupport", "CFixtures"]),
    .testTarget(
      name: "InvocationsTests",
      dependencies: [
        "TypeEncodings", "BlockABI", "Invocations", "BlockHooks", "TestSupport", "CFixtures",
        "AutoreleasedResults",
      ]),
    .testTarget(
      name: "BlockHooksTests",
      dependencies: [
        "TypeEncodings", "BlockABI", "Invocations", "DelayedBlocks", "BlockHooks", "TestSupport",
        "CFixtures", "AutoreleasedResults",
      ]),
    .testTarget(
      name: "CallTracingTests",
      dependencies: [
        "CallTracing", "CallRecording", "TypeEncodings", "BlockABI", "Invocations", "DelayedBlocks",
        "BlockHooks", "CBlockRuntimeThreads",
        "TestSupport", "CFixtures",
      ]),
    .testTarget(
      name: "CallRecordingTests",
      dependencies: [
        "CallRecording", "TypeEncodings", "BlockABI", "Invocations", "BlockHooks", "TestSupport",
        "CFixtures",
      ]),
    .testTarget(
      name: "CallMemoizationTests",
      dependencies: [
        "CallMemoization", "TypeEncodings", "BlockABI", "Invocations", "DelayedBlocks",
        "BlockHooks", "TestSupport", "CFixtures", "AutoreleasedResults",
      ]),
    .executableTarget(
      name: "MemoProgram",
      dependencies: ["MemoDatabases", "CallMemoization", "BlockABI", "Invocations"],
      path: "Tests/MemoProgram"),
    .testTarget(
      name: "MemoDatabasesTests",
      dependencies: [
        "MemoDatabases", "MemoProgram", "CallMemoization", "TypeEncodings", "BlockABI",
        "Invocations", "DelayedBlocks", "BlockHooks", "TestSupport", "AutoreleasedResults",
        database,
      ]),
    .testTarget(
      name: "DelayedBlocksTests",
      dependencies: ["DelayedBlocks", "ObjectLifetimes", "TestSupport", "CFixtures"]),
    .testTarget(
      name: "KeyValueObservingTests",
      dependencies: ["KeyValueObserving", "ObjectLifetimes", "TestSupport", "CFixtures"]),
    // A program of its own: the bridge, once linked, is there for the whole process. No test target depends
    // on it, because the program of all tests would link what it does; `swift build --build-tests` builds it.
    .executableTarget(
      name: "ObservationProbe", dependencies: ["ObservationBridge", "CFixtures"],
      path: "Tests/ObservationProbe"),
    .testTarget(name: "ObservationBridgeTests", dependencies: ["TestSupport"]),
    .testTarget(
      name: "MessageForwardingTests",
      dependencies: [
        "MessageForwarding", "TypeEncodings", "BlockABI", "Invocations", "BlockHooks",
        "CallMemoization", "CallTracing", "DelayedBlocks", "ObjectLifetimes", "TestSupport",
        "CFixtures",
      ]),
    .testTarget(
      name: "MessageMacrosTests",
      dependencies: [
        "MessageMacros", "MessageForwarding", "Invocations", "TypeEncodings", "BlockHooks",
        "DelayedBlocks", "TestSupport",
      ]),
    // Apart from the others, whose optimised build then needs swift-syntax for the plugin only.
    .testTarget(
      name: "MessageMacrosPluginTests",
      dependencies: [
        .target(name: "MessageMacrosPlugin", condition: .when(traits: ["Macros"])),
        swiftSyntax("SwiftSyntax"), swiftSyntax("SwiftParser"), swiftSyntax("SwiftDiagnostics"),
        swiftSyntax("SwiftSyntaxMacros"), swiftSyntax("SwiftSyntaxMacroExpansion"),
      ]),
    .testTarget(
      name: "SymbolInterposingTests",
      dependencies: [
        "SymbolInterposing", "BlockRuntime", "TypeEncodings", "BlockABI", "BlockRuntimeThreads",
        "Invocations",
        "BlockHooks", "CallTracing", "TestSupport", "CFixtures",
      ]),
    .testTarget(
      name: "InvocationOperationsTests",
      dependencies: [
        "InvocationOperations", "BlockABI", "Invocations", "MessageForwarding", "TestSupport",
      ]),
    .testTarget(
      name: "TraceLoggingTests",
      dependencies: [
        "TraceLogging", "CallTracing", "BlockABI", "BlockHooks", "TestSupport", logging,
      ]),
    .testTarget(
      name: "TraceSpansTests",
      dependencies: [
        "TraceSpans", "BlockABI", "BlockHooks", "Invocations", "MessageForwarding",
        "SymbolInterposing", "TestSupport", tracing, inMemoryTracing,
      ]),
    .testTarget(
      name: "TraceMetricsTests",
      dependencies: [
        "TraceMetrics", "BlockABI", "BlockHooks", "Invocations", "MessageForwarding",
        "SymbolInterposing", "TestSupport", metrics, testMetrics,
      ]),
    .target(name: "SwiftMethodFixtures", path: "Tests/SwiftMethodFixtures"),
    .testTarget(
      name: "ExperimentalSwiftMethodsTests",
      dependencies: [
        "ExperimentalSwiftMethods", "TypeEncodings", "Invocations", "BlockHooks",
        "SwiftMethodFixtures", "TestSupport", "CFixtures",
      ]),
    .testTarget(
      name: "OracleTests",
      dependencies: ["TypeEncodings", "BlockABI", "Invocations", "BlockHooks", "TestSupport"]),
    .executableTarget(
      name: "EnvironmentProbe",
      dependencies: [
        "BlockABI", "Invocations", "DelayedBlocks", "BlockHooks", "CallTracing",
        "MessageForwarding", "SymbolInterposing", "CFixtures",
      ],
      path: "Tests/EnvironmentProbe"),
    .executableTarget(
      name: "ContendedProgram",
      dependencies: ["BlockRuntime", "CallMemoization", "CallTracing", "SymbolInterposing"],
      path: "Tests/ContendedProgram"),
    .testTarget(
      name: "EnvironmentTests",
      dependencies: ["EnvironmentProbe", "ContendedProgram", "TestSupport"]),
    .testTarget(name: "HookDemoTests", dependencies: ["HookDemo", "TestSupport"]),
    .testTarget(name: "CallDocumentsTests", dependencies: ["HookDemo", "TestSupport"]),
    .executableTarget(
      name: "ContextProgram", dependencies: ["SymbolInterposing", "TraceSpans", tracing],
      path: "Tests/ContextProgram"),
    .testTarget(
      name: "TracingCommandsTests",
      dependencies: [
        "HookDemo", "TracingCommands", "CommandConventions", "ContextProgram", "TestSupport",
      ]),
    .testTarget(name: "CommandConventionsTests", dependencies: ["HookDemo", "TestSupport"]),
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "BlockRuntime", "CallTracing", "CallRecording", "CallMemoization", "SymbolInterposing",
        "ExperimentalSwiftMethods", "TraceLogging", "TraceSpans", "TraceMetrics",
        "InvocationOperations", "AutoreleasedResults", "TestSupport",
        inMemoryTracing, testMetrics,
      ],
      exclude: ["SnippetContext"]),
    .testTarget(name: "MemoryModelTests", dependencies: ["TestSupport"]),
    .testTarget(name: "IsolatedClosuresTests", dependencies: ["BlockRuntime", "TestSupport"]),
    // Stories: each is read from the top, and runs alone.
    .testTarget(
      name: "Experiments",
      dependencies: [
        "BlockRuntime", "CallMemoization", "SymbolInterposing", "TestSupport", "CFixtures",
      ]),
  ]
}

// Some test targets, and what they need: `Scripts/test --only NAME`.
let chosenTests = (Context.environment["BLOCKRUNTIME_TEST_TARGETS"] ?? "").split(separator: " ")
if !isDependency, chosenTests.contains("Examples/Macros") {
  // With `Scripts/test --macros`: the examples are a package of their own, which would build swift-syntax again.
  for example in ["FirstMacros", "ForwardedProtocol", "PortedDelegates", "TypedMessages"] {
    package.targets.append(
      .executableTarget(
        name: example, dependencies: ["MessageMacros"], path: "Examples/Macros/\(example)"))
    package.targets.first { $0.name == "MessageMacrosTests" }?.dependencies.append(
      .target(name: example))
  }
}
if !isDependency, chosenTests.contains("Examples/Database") {
  package.targets.append(
    .executableTarget(
      name: "StoredSquares", dependencies: ["BlockRuntime", "MemoDatabases"],
      path: "Examples/Database/StoredSquares"))
  package.targets.first { $0.name == "MemoDatabasesTests" }?.dependencies.append("StoredSquares")
}
if !isDependency, !chosenTests.isEmpty {
  var needed: Set<String> = []
  func need(_ name: String) {
    guard let target = package.targets.first(where: { $0.name == name }),
      needed.insert(name).inserted
    else { return }
    for dependency in target.dependencies {
      switch dependency {
      case .targetItem(let name, _), .byNameItem(let name, _): need(name)
      default: break
      }
    }
  }
  for name in chosenTests { need(String(name)) }
  // It is loaded into the programs that are traced.
  if needed.contains("TracingCommands") { need("BlockTracer") }
  // Tests start it, or compile against its modules.
  if !needed.isDisjoint(with: ["ObservationBridgeTests", "DocumentationTests"]) {
    need("ObservationProbe")
  }
  package.targets.removeAll { !needed.contains($0.name) }
  package.products.removeAll { product in
    switch product {
    case let library as Product.Library: !needed.isSuperset(of: library.targets)
    case let program as Product.Executable: !needed.isSuperset(of: program.targets)
    default: true
    }
  }
}

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
