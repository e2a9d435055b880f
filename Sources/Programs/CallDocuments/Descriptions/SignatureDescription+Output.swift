import CommandOptionsAndResults
import TypeEncodings

extension SignatureDescription {
  /// The signature as a JSON object, with the members in the documented order.
  var json: JSONValue {
    var members: [JSONValue.Member] = [
      ("signature", .string(signature.description)),
      ("declaration", .optional(signature.declaration())),
      ("form", .string(signature.form.rawValue)),
      ("return", result.json), ("frameSize", .optional(frameSize)),
      ("arguments", .array(arguments.map(\.json))),
    ]
    if let note { members.append(("note", .string(note))) }
    return .object(members)
  }

  /// The signature as text: a table of the result and the arguments, with their parts indented.
  func report(style: TextStyle) -> String {
    let frame = frameSize.map { "a frame of \($0.of("byte"))" } ?? "a frame of unknown size"
    var table = TextTable(headings: TypeDescription.headings.map { $0 == "part" ? "" : $0 })
    var notes: [String] = []
    if let note { notes.append(note) }
    result.addRows(to: &table, label: "returns")
    if signature.result.kind != .void { result.addNotes(to: &notes, label: "result") }
    for (index, argument) in arguments.enumerated() {
      argument.type.addRows(
        to: &table, label: "\(index) \(role(ofArgument: index))", offset: argument.frameOffset)
      argument.type.addNotes(to: &notes, label: "argument \(index)")
    }
    let declaration = signature.declaration().map { TextStyle.visible($0) + "\n" } ?? ""
    return style.strong(TextStyle.visible(signature.description)) + "\n" + declaration
      + "\(signature.form.rawValue), \(frame)\n" + table.text(style: style)
      + TypeDescription.text(ofNotes: notes, style)
  }

  /// The role of an argument in a call.
  private func role(ofArgument index: Int) -> String {
    switch (signature.form, index) {
    case (.block, 0): "the block"
    case (.method, 0): "the receiver"
    case (.method, 1): "the selector"
    default: "argument"
    }
  }
}

extension SignatureDescription.Argument {
  var json: JSONValue {
    .object(type.members + [("frameOffset", .optional(frameOffset))])
  }
}
