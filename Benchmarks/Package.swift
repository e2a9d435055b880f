// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the library depends on none of its peers.
let package = Package(
  name: "block-runtime-benchmarks",
  dependencies: [
    .package(name: "swift-block-runtime", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
  ],
  targets: [
    // C: what is called, the loops that call, and the same by hand and by libffi.
    .systemLibrary(name: "CLibFFI", pkgConfig: "libffi", providers: [.apt(["libffi-dev"])]),
    .target(
      name: "CBaselines", dependencies: ["CLibFFI"], cSettings: [.unsafeFlags(["-fblocks"])],
      linkerSettings: [.linkedLibrary("dispatch"), .linkedLibrary("BlocksRuntime")]),

    // How a row is measured and shown; knows nothing of what is measured.
    .target(name: "Measuring"),
    .testTarget(name: "MeasuringTests", dependencies: ["Measuring"]),

    // Classes with properties that are set, in a module of their own.
    .target(
      name: "ObservedModels",
      dependencies: [.product(name: "BlockRuntime", package: "swift-block-runtime")]),

    // The rows and the command line.
    .executableTarget(
      name: "bench",
      dependencies: [
        "Measuring", "CBaselines", "ObservedModels",
        .product(name: "BlockRuntime", package: "swift-block-runtime"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "OpenCombine", package: "OpenCombine"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      path: "Sources/Bench",
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
  target.swiftSettings = (target.swiftSettings ?? []) + strictness
}
