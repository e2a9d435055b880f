extension TypeEncoding: CustomStringConvertible {
  /// The encoding's text; for a parsed encoding the text it was parsed from.
  public var description: String {
    var text = ""
    write(to: &text)
    return text
  }

  /// Appends the encoding's text.
  func write(to text: inout String) {
    for qualifier in qualifiers { text.append(Character(Unicode.Scalar(qualifier.rawValue))) }
    type.write(to: &text)
  }
}

extension MethodSignature: CustomStringConvertible {
  /// The signature's text; for a parsed signature the text it was parsed from.
  public var description: String {
    var text = ""
    write(to: &text)
    return text
  }

  /// Appends the signature's text.
  func write(to text: inout String) {
    result.write(to: &text)
    frameSize?.write(to: &text)
    for argument in arguments {
      argument.encoding.write(to: &text)
      argument.frameOffset?.write(to: &text)
    }
  }
}

extension MethodSignature.FrameOffset {
  /// Appends the register mark, the sign and the number.
  fileprivate func write(to text: inout String) {
    if isMarkedAsRegister { text.append("+") }
    if isNegativeZero { text.append("-") }
    text.append(String(bytes))
  }
}

extension EncodedType {
  /// Appends the type's text.
  fileprivate func write(to text: inout String) {
    switch self {
    case .primitive(let primitive): primitive.write(to: &text)
    case .object(let className):
      text.append("@")
      if let className { text.append("\"\(className)\"") }
    case .block(let signature):
      text.append("@?")
      guard let signature else { return }
      text.append("<")
      signature.write(to: &text)
      text.append(">")
    case .pointer(let pointee):
      text.append("^")
      pointee.write(to: &text)
    case .array(let count, let element):
      text.append("[\(count)")
      element.write(to: &text)
      text.append("]")
    case .structure(let record): record.write(between: "{", and: "}", to: &text)
    case .union(let record): record.write(between: "(", and: ")", to: &text)
    case .bitField(let bitField): bitField.write(to: &text)
    case .complex(let part):
      text.append("j")
      part.write(to: &text)
    case .unknown: text.append("?")
    case .vanished: return
    }
  }
}

extension PrimitiveType {
  /// Appends the type's character.
  fileprivate func write(to text: inout String) {
    text.append(Character(Unicode.Scalar(rawValue)))
  }
}

extension RecordEncoding {
  /// Appends the tag and fields between brackets.
  fileprivate func write(between opener: String, and closer: String, to text: inout String) {
    text.append(opener)
    text.append(tag)
    if let fields {
      text.append("=")
      for field in fields {
        if let name = field.name { text.append("\"\(name)\"") }
        field.encoding.write(to: &text)
      }
    }
    text.append(closer)
  }
}

extension BitFieldEncoding {
  /// Appends the width, in GNU's notation with the position and the declared type.
  fileprivate func write(to text: inout String) {
    text.append("b")
    if let placement {
      text.append(String(placement.bitOffset))
      placement.base.write(to: &text)
    }
    text.append(String(width))
  }
}
