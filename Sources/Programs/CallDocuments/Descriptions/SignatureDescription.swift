import TypeEncodings

/// The description of a signature that `hook-demo signature` prints.
struct SignatureDescription {
  let signature: MethodSignature

  let result: TypeDescription

  /// The size of the frame in bytes: as given, otherwise by clang's rule; nil if it is unknown.
  let frameSize: Int?

  /// All arguments, hidden ones included.
  let arguments: [Argument]

  /// Why offsets are unknown, or which arguments are missing.
  let note: String?

  struct Argument {
    let type: TypeDescription

    /// The argument's offset in the frame: as given, otherwise by clang's rule; nil if it is
    /// unknown.
    let frameOffset: Int?
  }

  /// The most arguments for which frames are checked; with more, only the types are described.
  private static let judgedArgumentLimit = 1024

  init(_ signature: MethodSignature) {
    self.signature = signature
    result = TypeDescription(signature.result)
    let frame = FrameCount(signature)
    frameSize = signature.frameSize?.bytes ?? frame.size
    arguments = signature.arguments.enumerated().map { index, argument in
      Argument(
        type: Self.type(ofArgument: index, in: signature),
        frameOffset: argument.frameOffset?.bytes ?? frame.offsets[index])
    }
    let isIncomplete = frameSize == nil || arguments.contains { $0.frameOffset == nil }
    note = isIncomplete ? frame.refusal : Self.missingArguments(in: signature)
  }

  /// An argument's type, checked against the frame.
  ///
  /// The frame decides the layout of bit-fields whose declared type is not encoded, and shows that
  /// a record is packed or that a vector is missing from the encoding.
  private static func type(
    ofArgument index: Int, in signature: MethodSignature
  ) -> TypeDescription {
    let argument = signature.arguments[index]
    var own = TypeDescription(argument.encoding)
    guard argument.frameOffset != nil, signature.arguments.count <= judgedArgumentLimit,
      argument.encoding.type != .vanished
    else { return own }
    let isRecord = argument.encoding.isRecord
    do throws(TypeEncodingError) {
      let layout = try signature.argumentLayout(at: index)
      return isRecord ? TypeDescription(argument.encoding, layout: layout) : own
    } catch {
      if isRecord { return TypeDescription(argument.encoding, layout: nil, note: error.message) }
      own.note = own.note ?? error.message
      return own
    }
  }

  /// Why a frame has a size although no argument is listed; nil if that is no contradiction.
  private static func missingArguments(in signature: MethodSignature) -> String? {
    guard signature.arguments.isEmpty else { return nil }
    do throws(TypeEncodingError) {
      try signature.callLayouts()
      return nil
    } catch {
      return error.code == .vanishedType ? error.message : nil
    }
  }
}

/// The frame that clang would write: arguments one after the other, as far as sizes are known.
private struct FrameCount {
  /// Each argument's offset; nil after an argument of unknown size.
  private(set) var offsets: [Int?] = []

  /// The sum, nil if any size is unknown.
  private(set) var size: Int?

  /// Why the size of the first argument of unknown size is unknown.
  private(set) var refusal: String?

  init(_ signature: MethodSignature) {
    if let counted = try? signature.withFrameOffsets() {
      offsets = counted.arguments.map { $0.frameOffset?.bytes }
      size = counted.frameSize?.bytes
      return
    }
    var offset: Int? = 0
    for (index, argument) in signature.arguments.enumerated() {
      offsets.append(offset)
      guard let start = offset else { continue }
      let alone = MethodSignature(
        result: TypeEncoding(.primitive(.void)), arguments: [.init(argument.encoding)])
      do throws(TypeEncodingError) {
        let own = try alone.withFrameOffsets().frameSize?.bytes ?? 0
        let (end, overflow) = start.addingReportingOverflow(own)
        offset = overflow ? nil : end
        if overflow { refusal = "the frame is larger than an address space" }
      } catch {
        offset = nil
        refusal = Self.renumbered(error.message, argument: index)
      }
    }
    size = offset
  }

  /// Changes the argument number in the message about a signature of one argument.
  private static func renumbered(_ message: String, argument index: Int) -> String {
    let place = "argument 0: "
    let reason = message.hasPrefix(place) ? String(message.dropFirst(place.count)) : message
    return "argument \(index): \(reason)"
  }
}
