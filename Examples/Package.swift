// swift-tools-version: 6.2
import PackageDescription

/// A product of the library.
func product(_ name: String) -> Target.Dependency {
  .product(name: name, package: "swift-block-runtime")
}

let blockRuntime = product("BlockRuntime")
let symbolInterposing = product("SymbolInterposing")

/// An example: a program in the folder of its name.
func program(_ name: String, _ dependencies: [Target.Dependency] = [blockRuntime]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: name)
}

let programs = [
  // Blocks.
  program("HookABlock"),
  program("EveryBlockPrinted", [blockRuntime, symbolInterposing]),
  program("DecideLater"),
  program("MemoizedBlock", [blockRuntime, product("CallMemoization"), product("CallTracing")]),
  program("ReplayedCalls", [blockRuntime, product("CallRecording")]),
  // Calls.
  program("CalledBySignature"),
  program("ExplainedEncodings"),
  program("CallbacksWithState"),
  program("HookedImports", [blockRuntime, symbolInterposing]),
  // Later.
  program("CancelledInTime"),
  program("TimerAndTarget"),
  program("DebouncedSearch"),
  // Objects.
  program("AssociatedValues"),
  program("ObservedForm"),
  program("AwaitedChanges"),
  // Messages.
  program("ServedProtocol"),
  program("HookedMethod"),
  program("ObservedMessages"),
  program("RecordedMessage"),
  program("UndoneChanges"),
  program("PlayedScenes"),
  // With other libraries.
  program("SQLiteFunctions", [blockRuntime, "CSQLite"]),
  program("MainLoopSource"),
  program("DispatchedBlocks"),
  program("ScriptedCalculator", [blockRuntime, "ScriptBridge"]),
  program("ScriptedPage", [blockRuntime, "ScriptBridge"]),
  program("Thumbnails", []),
  program("SlowDownload", []),
]

// A package of its own: the library builds without the libraries that examples need.
let package = Package(
  name: "block-runtime-examples",
  dependencies: [.package(name: "swift-block-runtime", path: "..")],
  targets: programs + [
    .systemLibrary(
      name: "CSQLite", path: "Libraries/CSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CDuktape", path: "Libraries/CDuktape", providers: [.apt(["duktape-dev"])]),
    .target(name: "ScriptBridge", dependencies: [blockRuntime, "CDuktape"], path: "ScriptBridge"),
    .testTarget(
      name: "ExamplesTests", dependencies: programs.map { .byName(name: $0.name) }),
    .testTarget(name: "HooksInParallelTests", dependencies: [blockRuntime]),
    .testTarget(name: "ScriptBridgeTests", dependencies: ["ScriptBridge", blockRuntime]),
  ]
)

// Warnings are errors where the sources are checked.
let warnings: [SwiftSetting] =
  Context.environment["WARNINGS_AS_ERRORS"] == nil ? [] : [.treatAllWarnings(as: .error)]

for target in package.targets where target.type != .system {
  target.swiftSettings =
    [
      .swiftLanguageMode(.v6),
      .strictMemorySafety(),
      .treatWarning("StrictMemorySafety", as: .error),
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
    ] + warnings
}
