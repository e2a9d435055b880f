/// The name of traced code in tables, which is the same in all processes that call it.
package struct TracedName: Hashable, Sendable {
  /// The demangled name of a Swift function, the symbol of any other, or a substitute.
  package let title: String

  /// The path of the program or shared library; nil if no image holds the code.
  package let image: String?

  /// The signature with which the code is called.
  package let signature: String

  /// Creates a name.
  package init(title: String, image: String?, signature: String) {
    self.title = title
    self.image = image
    self.signature = signature
  }

  /// The name of a record's subject.
  ///
  /// - Parameter subject: The code that was called.
  package init(_ subject: TraceSubject) {
    self.init(title: subject.title, image: subject.image, signature: subject.signature)
  }

  /// The title in a form that is short enough for a table.
  package var short: String { Self.short(title) }

  /// A demangled name in a form that is short enough for a line.
  ///
  /// A closure is named by the function in which it is written, without module and signature, and
  /// its number there, such as `Cart.add › closure #1`; other code by its name.
  static func short(_ name: String) -> String {
    let plain = String(name.trimmingPrefix("partial apply forwarder for "))
      .replacing(/\(extension in [^()]+\):/, with: "")
      .replacing(/\(([^()]+) in _[0-9A-F]{8,}\)/) { $0.output.1 }
      .replacing(/\bSwift\./, with: "")
    guard plain.prefixMatch(of: /(?:implicit )?closure #/) != nil else { return plain }
    return plain.split(separator: " in ").reversed().map(step).joined(separator: " › ")
  }

  /// A part of a closure's name: the closure, or the function that contains it.
  private static func step(_ part: Substring) -> Substring {
    if let closure = part.prefixMatch(of: /(?:implicit )?(closure #\d+)/) {
      return closure.output.1
    }
    let declaration = part.trimmingPrefix(/(?:static |variable initialization expression of )+/)
    let path = declaration.prefix { !" (<".contains($0) }
    guard let module = path.firstIndex(of: ".") else { return path }
    return path[module...].dropFirst()
  }
}
