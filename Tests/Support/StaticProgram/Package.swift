// swift-tools-version: 6.2
import PackageDescription

// A program that contains the tracer, as a client's would, and one that does not; Scripts/check-static builds
// them. LINKER_FLAGS is the file of the flags.
let flags = Context.environment["LINKER_FLAGS"].map { ["@\($0)"] } ?? []

let package = Package(
  name: "StaticProgram",
  dependencies: [.package(name: "swift-block-runtime", path: "../../..")],
  targets: [
    .executableTarget(
      name: "StaticProgram",
      dependencies: [.product(name: "StaticTracing", package: "swift-block-runtime")],
      linkerSettings: [.unsafeFlags(flags)]),
    .executableTarget(name: "Untraced"),
  ])
