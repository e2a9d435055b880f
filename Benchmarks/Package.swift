// swift-tools-version: 6.2
import PackageDescription

// A stream of traces is for the library's own package: all targets count as part of it. SwiftPM names a
// package after its folder.
let root = Context.packageDirectory.split(separator: "/").dropLast().last ?? ""
let ownPackage = String(root.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })

// A package of its own, so that the library depends on none of its peers.
let package = Package(
  name: "block-runtime-benchmarks",
  traits: [
    .trait(name: "Macros", description: "Rows of MessageMacros, which is built with swift-syntax.")
  ],
  dependencies: [
    .package(
      name: "swift-block-runtime", path: "..",
      traits: [.trait(name: "Macros", condition: .when(traits: ["Macros"]))]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
  ],
  targets: [
    // C: what is called, the loops that call, and the same by hand and by libffi.
    .systemLibrary(name: "CLibFFI", pkgConfig: "libffi", providers: [.apt(["libffi-dev"])]),
    .target(
      name: "CBaselines", dependencies: ["CLibFFI"],
      cSettings: [.unsafeFlags(["-fblocks", "-fno-builtin"])],
      linkerSettings: [.linkedLibrary("dispatch"), .linkedLibrary("BlocksRuntime")]),

    // How a row is measured and shown; knows nothing of what is measured.
    .target(name: "Measuring", packageAccess: false),
    .testTarget(
      name: "MeasuringTests", dependencies: ["Measuring"], packageAccess: false),

    // Classes with properties that are set, in a module of their own.
    .target(
      name: "ObservedModels",
      dependencies: [.product(name: "BlockRuntime", package: "swift-block-runtime")],
      packageAccess: false),

    // The rows and the command line.
    .executableTarget(
      name: "bench",
      dependencies: [
        "Measuring", "CBaselines", "ObservedModels",
        .product(name: "BlockRuntime", package: "swift-block-runtime"),
        .product(name: "CallMemoization", package: "swift-block-runtime"),
        .product(name: "CallTracing", package: "swift-block-runtime"),
        .product(name: "QueueTracing", package: "swift-block-runtime"),
        .product(name: "SymbolInterposing", package: "swift-block-runtime"),
        .product(
          name: "MessageMacros", package: "swift-block-runtime",
          condition: .when(traits: ["Macros"])),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "OpenCombine", package: "OpenCombine"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      path: "Sources/Bench", packageAccess: false,
      // Debian's valgrind gives up at the debug information of newer compilers.
      linkerSettings: [.unsafeFlags(["-Xlinker", "--strip-debug"])]),
  ]
)

let strictness: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatWarning("StrictMemorySafety", as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

for target in package.targets where target.type != .system && !target.name.hasPrefix("C") {
  target.swiftSettings =
    (target.swiftSettings ?? []) + strictness + [.unsafeFlags(["-package-name", ownPackage])]
}
