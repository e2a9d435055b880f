import Glibc

/// The environment of this process, which only `EngineOptions.choose()` changes, before there are
/// other threads.
package enum ProcessEnvironment {
  /// The list of all variables, which ends with a null.
  // SAFETY: the pointer is copied; what it points to does not change.
  package static var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? { unsafe environ }

  /// A variable's value, nil if it is not set.
  package static subscript(name: String) -> String? {
    // SAFETY: the value is a C string, which does not change.
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  /// All variables as `name=value`, with some values changed or added.
  package static func changed(_ changes: [String: String]) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    let list = unsafe list
    var index = 0
    // SAFETY: the list has C strings until its null, and does not change.
    while let line = unsafe list?[index] {
      lines.append(unsafe Array(UnsafeRawBufferPointer(start: line, count: strlen(line))))
      index += 1
    }
    lines.removeAll { line in changes.keys.contains { line.starts(with: Array("\($0)=".utf8)) } }
    return lines + changes.sorted { $0.key < $1.key }.map { Array("\($0)=\($1)".utf8) }
  }
}
