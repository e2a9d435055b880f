/// What tables call traced code: what is known of it in whichever process it is called.
package struct TracedName: Hashable, Sendable {
  /// The demangled name of a Swift function, the symbol of any other, or what stands for one.
  package let title: String

  /// The path of the program or shared library; nil where no image holds the code.
  package let image: String?

  /// The signature by which it is called.
  package let signature: String

  /// Creates a name.
  package init(title: String, image: String?, signature: String) {
    self.title = title
    self.image = image
    self.signature = signature
  }

  /// The name of a record's subject.
  ///
  /// - Parameter subject: What was called.
  package init(_ subject: TraceSubject) {
    self.init(title: subject.title, image: subject.image, signature: subject.signature)
  }

  /// The title as it is short enough for a table.
  ///
  /// A closure is named by the function that it is written in, without module and signature, and by
  /// its number there, such as `Cart.add › closure #1`; anything else by the title.
  package var short: String {
    let plain = String(title.trimmingPrefix("partial apply forwarder for "))
      .replacing(/\(extension in [^()]+\):/, with: "")
      .replacing(/\(([^()]+) in _[0-9A-F]{8,}\)/) { $0.output.1 }
      .replacing(/\bSwift\./, with: "")
    guard plain.prefixMatch(of: /(?:implicit )?closure #/) != nil else { return plain }
    return plain.split(separator: " in ").reversed().map(Self.step).joined(separator: " › ")
  }

  /// A part of a closure's name: the closure, or the function around it.
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
