// swift-tools-version: 6.2
import PackageDescription

// A package of its own: a server with Hummingbird takes minutes to build.
let package = Package(
  name: "TracedServer",
  dependencies: [
    .package(name: "swift-block-runtime", path: "../..", traits: ["Spans"]),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
  ],
  targets: [
    .executableTarget(
      name: "TracedServer",
      dependencies: [
        .product(name: "BlockRuntime", package: "swift-block-runtime"),
        .product(name: "SymbolInterposing", package: "swift-block-runtime"),
        .product(name: "TraceSpans", package: "swift-block-runtime"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdTesting", package: "hummingbird"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)])
  ])
