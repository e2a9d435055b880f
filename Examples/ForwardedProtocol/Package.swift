// swift-tools-version: 6.2
import PackageDescription

// A package of its own: the trait Macros builds swift-syntax, which takes minutes.
let package = Package(
  name: "ForwardedProtocol",
  dependencies: [.package(name: "swift-block-runtime", path: "../..", traits: ["Macros"])],
  targets: [
    .executableTarget(
      name: "ForwardedProtocol",
      dependencies: [.product(name: "MessageMacros", package: "swift-block-runtime")],
      path: "Sources", swiftSettings: [.swiftLanguageMode(.v6)])
  ])
