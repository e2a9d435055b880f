import Glibc
import TestSupport

/// A shared library that was compiled from generated source.
///
/// It stays loaded: blocks and functions made from it may be kept by the library under test.
@safe
struct CompiledLibrary {
  private let handle: UnsafeMutableRawPointer

  /// Loads a library.
  ///
  /// - Throws: `CompilerError` with what the loader says.
  init(path: String) throws {
    guard let handle = unsafe dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      throw CompilerError(description: "\(path) cannot be loaded: \(Self.loaderMessage)")
    }
    unsafe self.handle = unsafe handle
  }

  /// A function of the library.
  ///
  /// ## Safety
  /// `type` must be the C function type that the source gives the function.
  @unsafe
  func function<Function>(_ name: String, as type: Function.Type) throws -> Function {
    guard let address = unsafe dlsym(handle, name) else {
      throw CompilerError(description: "no function \(name): \(Self.loaderMessage)")
    }
    return unsafe unsafeBitCast(address, to: type)
  }

  private static var loaderMessage: String {
    guard let message = unsafe dlerror() else { return "no reason given" }
    return unsafe String(cString: message)
  }
}
