import BlockABI
import BlockHooks
import CallTracing
import Foundation
import Invocations
import SymbolInterposing

/// Tries everything that maps memory or changes its protection; `path` is a library with a global
/// block and an import, on pages of its own.
func attemptPages(_ path: String) {
  attempt("make five thousand function pointers") {
    let pointers = try (0..<5_000).map { number in
      try FunctionPointer(signature: "i") { try $0.setResult(Int32(number)) }
    }
    return try pointers.enumerated().allSatisfy { number, pointer in
      let function = unsafe try CFunction(unsafeAddress: pointer.unsafeAddress, signature: "i")
      return try function() as Int == number
    } ? "works" : "wrong"
  }
  attempt("hook a heap block", hookHeapBlock)
  guard let library = unsafe dlopen(path, RTLD_NOW),
    let global = unsafe dlsym(library, "pages_block"),
    let user = unsafe dlsym(library, "pages_user")
  else { return print("the library does not load") }
  attempt("hook a global block on a protected page") {
    typealias Getter = @convention(c) () -> UnsafeRawPointer
    let block = unsafe Block(unsafePointer: unsafeBitCast(global, to: Getter.self)())
    let hook = try block.hook { call in try call.setResult(42) }
    let isHooked = try block.call(1) as Int == 42
    hook.remove()
    return try isHooked && block.call(1) as Int == 2 ? "works" : "wrong"
  }
  // Slots of all libraries change, and those of x86-64 are linked for its only size of pages.
  #if arch(arm64)
  attempt("hook an import on a protected page") {
    let abs = unsafe try ImportedFunction("labs", signature: "qq", in: .only(path))
    let hook = try abs.hook { call in try call.setResult(42) }
    let function = unsafe try CFunction(unsafeAddress: user, signature: "qq")
    let isHooked = try function(-1) as Int == 42
    hook.remove()
    return try isHooked && function(-1) as Int == 1 ? "works" : "wrong"
  }
  #endif
  attempt("trace to another process") {
    let directory = NSTemporaryDirectory() + "pages-\(getpid())"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let writer = try TraceStreamWriter(directory: directory)
    let name = try FileManager.default.contentsOfDirectory(atPath: directory).first ?? ""
    let reader = try TraceStreamReader(path: "\(directory)/\(name)")
    return withExtendedLifetime((writer, reader)) { "works" }
  }
}
