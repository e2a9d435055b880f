import Glibc

/// The environment of this process; nothing changes it while the program runs.
enum ProcessEnvironment {
  /// A variable's value, nil where there is none.
  static subscript(name: String) -> String? {
    // SAFETY: the value is a C string that nothing changes.
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  /// All variables, `name=value`, with some in other values.
  static func changed(_ changes: [String: String]) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    // SAFETY: the list ends with a null, and nothing changes it; each line is a C string.
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
