import Glibc

/// The environment of this process, which the tracing commands do not change.
enum ProcessEnvironment {
  /// A variable's value, nil if it is not set.
  static subscript(name: String) -> String? {
    // SAFETY: the value is a C string, which the tracing commands do not change.
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  /// All variables as `name=value`, with some values changed or added.
  static func changed(_ changes: [String: String]) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    // SAFETY: `environ` points to a list of C strings that ends with a null; it does not change.
    let list = unsafe dlsym(nil, "environ").flatMap { variable in
      unsafe variable.load(as: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?.self)
    }
    var index = 0
    while let line = unsafe list?[index] {
      lines.append(unsafe Array(UnsafeRawBufferPointer(start: line, count: strlen(line))))
      index += 1
    }
    lines.removeAll { line in changes.keys.contains { line.starts(with: Array("\($0)=".utf8)) } }
    return lines + changes.sorted { $0.key < $1.key }.map { Array("\($0)=\($1)".utf8) }
  }
}
