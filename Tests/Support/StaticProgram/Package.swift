// swift-tools-version: 6.2
import PackageDescription

// A program that contains the tracer, as a client's would; Scripts/check-static builds it.
let package = Package(
  name: "StaticProgram",
  dependencies: [.package(name: "swift-block-runtime", path: "../../..")],
  targets: [
    .executableTarget(
      name: "StaticProgram",
      dependencies: [.product(name: "StaticTracing", package: "swift-block-runtime")])
  ])
