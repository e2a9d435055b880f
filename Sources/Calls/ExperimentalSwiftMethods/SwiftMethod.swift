internal import LoadedClasses
public import TypeEncodings

/// A method in the table of a class through which Swift calls it, or the reason why it cannot be
/// hooked.
public struct SwiftMethod: Hashable, Sendable {
  /// The name with its labels, such as `didLoad(count:)`, or `title.getter`; the declaration if
  /// that could not be parsed.
  public let name: String

  /// The declaration, as the demangler writes it, such as `Shop.Page.draw() -> ()`.
  public let declaration: String

  let descriptor: MethodDescriptor

  let support: Result<MethodShape, SwiftMethodError>

  /// The signature that handlers see: argument 0 is the receiver, 1 the first parameter; nil if the
  /// method cannot be hooked.
  public var signature: MethodSignature? { try? support.get().signature }

  /// Why the method cannot be hooked; nil if it can.
  public var refusal: SwiftMethodError? {
    if case .failure(let error) = support { error } else { nil }
  }

  /// - Parameters:
  ///   - descriptor: The descriptor in the class's table.
  ///   - declaration: The demangled text of its symbol.
  ///   - settable: The names of the properties for which the same class declares setters.
  private init(_ descriptor: MethodDescriptor, _ declaration: String, settable: Set<String>) {
    self.descriptor = descriptor
    self.declaration = declaration
    guard let kind = descriptor.kind, let parsed = MethodDeclaration(declaration, kind) else {
      name = declaration
      support = .failure(
        SwiftMethodError(
          .unsupportedMethod,
          "\(declaration) is not a plain method, getter or setter; hook one that is"))
      return
    }
    name = parsed.name
    guard kind != .getter || settable.contains(parsed.propertyName) else {
      support = .failure(
        SwiftMethodError(
          .unsupportedMethod,
          "\(name) may throw, as no setter is declared and no symbol tells; hook a method"))
      return
    }
    support = Result { () throws(SwiftMethodError) in try MethodShape(parsed, descriptor) }
  }

  /// The methods that a class declares.
  ///
  /// - Parameter owner: The class.
  /// - Returns: The methods that have a symbol, in the order of the table.
  static func methods(declaredBy owner: ClassDescriptor) -> [SwiftMethod] {
    let descriptors = owner.methods
    let declared = zip(descriptors, MethodDescriptor.declarations(of: descriptors))
    let settable = declared.compactMap { descriptor, text in
      descriptor.kind == .setter
        ? text.flatMap { MethodDeclaration($0, .setter)?.propertyName } : nil
    }
    return declared.compactMap { descriptor, text in
      text.map { SwiftMethod(descriptor, $0, settable: Set(settable)) }
    }
  }
}

extension MethodDeclaration {
  /// The name of an accessor's property.
  fileprivate var propertyName: String { String(name.prefix { $0 != "." }) }
}

extension SwiftMethod: CustomStringConvertible {
  /// The declaration, and the reason why the method cannot be hooked, if there is one.
  public var description: String {
    refusal.map { "\(declaration) (\($0.code.rawValue))" } ?? declaration
  }
}
