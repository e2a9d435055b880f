// swift-tools-version: 6.2
import PackageDescription

// Programs that know nothing of this library, and use other packages: a package of their own, so that
// a build of the other examples fetches none of these.
let package = Package(
  name: "traced-packages",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.0.0"),
  ],
  targets: [
    .executableTarget(
      name: "Ledger", dependencies: [.product(name: "GRDB", package: "GRDB.swift")], path: "Ledger"),
    .executableTarget(
      name: "Lookups", dependencies: [.product(name: "Hummingbird", package: "hummingbird")],
      path: "Lookups"),
  ],
  swiftLanguageModes: [.v6]
)
