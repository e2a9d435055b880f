/// The versions that counts of instructions depend on.
enum Versions {
  /// The versions of the toolchain, libffi, the C library and valgrind.
  static var current: [String: String] {
    [
      "toolchain": firstLine(["swift", "--version"]),
      "libffi": firstLine(["pkg-config", "--modversion", "libffi"]),
      "glibc": firstLine(["getconf", "GNU_LIBC_VERSION"]),
      "valgrind": firstLine(["valgrind", "--version"]),
    ]
  }

  private static func firstLine(_ command: [String]) -> String {
    ProcessOutput.running(command).lines.first { $0.contains("Swift version") || !$0.contains(":") }
      .map(String.init) ?? "none"
  }
}
