// swift-tools-version: 6.2
import PackageDescription

// A package of its own: the trait Macros builds swift-syntax, which takes minutes.
let package = Package(
  name: "Macros",
  dependencies: [.package(name: "swift-block-runtime", path: "../..", traits: ["Macros"])],
  targets: [
    "FirstMacros", "ForwardedProtocol", "ForwardedToOriginal", "HookableFunctions",
    "HookedCalls", "PortedDelegates", "TypedMessages",
  ].map {
    .executableTarget(
      name: $0, dependencies: [.product(name: "MessageMacros", package: "swift-block-runtime")],
      path: $0, swiftSettings: [.swiftLanguageMode(.v6)])
  })
