package import CodeSymbols

/// The name of traced code in tables, which is the same in all processes that call it.
package struct TracedName: Sendable {
  /// The demangled name of a Swift function, the symbol of any other, or a substitute.
  package let title: String

  /// The path of the program or shared library; nil if no image holds the code.
  package let image: String?

  /// The signature with which the code is called.
  package let signature: String

  /// Where the code is in a file; nil if that is not known.
  package let place: CodePlace?

  /// Creates a name.
  package init(title: String, image: String?, signature: String, place: CodePlace? = nil) {
    self.place = place
    self.title = title
    self.image = image
    self.signature = signature
  }

  /// The name of a record's subject.
  ///
  /// - Parameter subject: The code that was called.
  package init(_ subject: TraceSubject) {
    self.init(
      title: subject.title, image: subject.image, signature: subject.signature,
      place: subject.place)
  }

  /// The title in a form that is short enough for a table.
  package var short: String { ShortName.make(title) }

  /// The module and the short name of a Swift function, such as `Shop.Cart.add`.
  ///
  /// - Parameter title: Its demangled name.
  /// - Returns: The name; nil if the title is not that of a Swift function.
  package static func withModule(_ title: String) -> String? {
    let text = DemangledText(title)
    guard let module = SwiftName.module(text),
      let short = SwiftName.short(text, hasLabels: false)
    else { return nil }
    return "\(module).\(short)"
  }

  /// The names of rows of a table: short, with argument labels where several have one short name,
  /// and in full where that does not tell them apart.
  ///
  /// - Parameter names: The names, each once.
  /// - Returns: A text for each name, in their order.
  package static func texts(of names: [TracedName]) -> [String] {
    let shorts = names.map(\.short)
    let labelled = names.map { ShortName.make($0.title, hasLabels: true) }
    let counts = Dictionary(shorts.map { ($0, 1) }, uniquingKeysWith: +)
    let labelledCounts = Dictionary(labelled.map { ($0, 1) }, uniquingKeysWith: +)
    return names.indices.map { index in
      if counts[shorts[index]] == 1 { return shorts[index] }
      return labelledCounts[labelled[index]] == 1 ? labelled[index] : names[index].title
    }
  }
}

extension TracedName: Hashable {
  /// Whether both are one row: wherever the code is in its file.
  package static func == (left: TracedName, right: TracedName) -> Bool {
    left.title == right.title && left.image == right.image && left.signature == right.signature
  }

  /// Hashes the name.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(title)
    hasher.combine(image)
    hasher.combine(signature)
  }
}
