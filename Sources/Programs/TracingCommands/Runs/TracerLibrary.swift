import CommandOptionsAndResults
import Glibc

/// The library that is loaded into traced programs.
struct TracerLibrary {
  /// The environment variable with the library's path, if it is not beside this program.
  static let variable = "BLOCK_TRACER_LIBRARY"

  private static let name = "libBlockTracer.so"

  #if DEBUG
  private static let build = "swift build --traits Everything"
  #else
  private static let build = "swift build --traits Everything -c release"
  #endif

  /// The path of the library.
  let path: String

  /// Finds the library: at the path in the environment, or beside this program.
  ///
  /// - Throws: `tracerNotFound`.
  init() throws(Failure) {
    let named = ProcessEnvironment[Self.variable]
    path = named ?? Self.ownDirectory + Self.name
    // SAFETY: the path is a C string for the duration of the call.
    guard unsafe access(path, R_OK) == 0 else {
      let remedy =
        named == nil
        ? "build it there with \(Self.build) --product BlockTracer, or name it by the variable "
          + Self.variable : "correct or unset the variable \(Self.variable)"
      throw Failure(code: "tracerNotFound", message: "there is no library \(path); \(remedy)")
    }
    guard path.hasPrefix("/"), !path.contains(where: { ": \t\n$".contains($0) }) else {
      throw Failure(
        code: "tracerNotFound",
        message:
          "the dynamic loader takes no library of the path \(path); name a copy or a link by "
          + "the variable \(Self.variable): an absolute path without spaces, colons and dollar signs"
      )
    }
  }

  /// The directory of this program, with a slash at the end.
  private static var ownDirectory: String {
    let path = FileDescriptor.target(ofLink: "/proc/self/exe") ?? ""
    return path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }
}
