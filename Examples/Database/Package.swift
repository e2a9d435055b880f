// swift-tools-version: 6.2
import PackageDescription

// A package of its own: the trait Database builds GRDB, and needs SQLite's headers.
let package = Package(
  name: "Database",
  dependencies: [.package(name: "swift-block-runtime", path: "../..", traits: ["Database"])],
  targets: [
    .executableTarget(
      name: "StoredSquares",
      dependencies: [
        .product(name: "BlockRuntime", package: "swift-block-runtime"),
        .product(name: "MemoDatabases", package: "swift-block-runtime"),
      ], path: "StoredSquares", swiftSettings: [.swiftLanguageMode(.v6)])
  ])
