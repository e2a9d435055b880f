import TypeEncodings

extension MethodSignature {
  /// The signature by which a C caller passes the arguments behind the declared ones.
  ///
  /// There `float` becomes `double`, and integers smaller than `int` become `int`. Specification:
  /// C23, 6.5.3.3, default argument promotions.
  ///
  /// - Parameter fixedCount: How many arguments the function's declaration names.
  /// - Returns: The signature, without frame offsets where any type changed.
  /// - Throws: The refusal of a frame that its own types contradict.
  func promoted(behind fixedCount: Int) throws(TypeEncodingError) -> MethodSignature {
    guard arguments.indices.contains(fixedCount) else { return self }
    var promoted = self
    for index in fixedCount..<arguments.count {
      guard let type = arguments[index].encoding.promotion else { continue }
      promoted.arguments[index].encoding = TypeEncoding(.primitive(type))
    }
    guard promoted != self else { return self }
    // The offsets say what the signature is; behind promoted arguments they no longer hold.
    try callLayouts()
    return promoted.withoutFrameOffsets()
  }
}

extension TypeEncoding {
  /// What the type becomes behind the declared arguments of a variadic function; nil for itself.
  var promotion: PrimitiveType? {
    switch kind {
    case .bool, .int8, .uint8, .int16, .uint16: .int32
    case .float: .double
    default: nil
    }
  }
}
