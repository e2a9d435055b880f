// swift-tools-version: 6.2
import PackageDescription

// A package of its own, which knows nothing of this library: its functions are replaced while it runs.
let package = Package(
  name: "ReloadedServer",
  targets: [.target(name: "Shop"), .executableTarget(name: "Server", dependencies: ["Shop"])])
