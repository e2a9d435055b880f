internal import TypeEncodings

/// A method that a protocol declares, and that a class does not have as it is declared.
public struct UnmetRequirement: Sendable {
  /// The method as the protocol declares it.
  public let method: MethodDescription

  /// How the class's method of that name differs; empty if the class has no such method.
  public let differences: [String]
}

extension UnmetRequirement: CustomStringConvertible {
  /// The method, and why the class does not have it.
  public var description: String {
    "\(method): " + (differences.isEmpty ? "missing" : differences.joined(separator: ", "))
  }
}

extension ClassObject {
  /// Whether the class has the methods that a protocol requires: `class_conformsToProtocol`.
  ///
  /// Only the methods and their types count: nothing declares that a class conforms to a protocol
  /// that is described at run time. For a protocol of Swift, ask
  /// `Page.self is any PageDelegate.Type`.
  ///
  /// - Parameter other: The protocol.
  /// - Returns: Whether it has all required methods, own or inherited; `unmetRequirements(of:)`
  ///   lists those that it lacks.
  public func conforms(to other: MessageProtocol) -> Bool { unmetRequirements(of: other).isEmpty }

  /// The methods of a protocol that the class lacks, or has with other types.
  ///
  /// Methods that are resolved when they are sent count, forwarding does not.
  ///
  /// - Parameter other: The protocol.
  /// - Returns: The required methods that are missing, and all methods whose types differ.
  public func unmetRequirements(of other: MessageProtocol) -> [UnmetRequirement] {
    other.allMethods.compactMap { declared in
      if !declared.isClassMethod { resolve(declared.selector) }
      let own = declared.isClassMethod ? classMethod(declared.selector) : method(declared.selector)
      guard let own else {
        return declared.isRequired ? UnmetRequirement(method: declared, differences: []) : nil
      }
      let differences: [String]
      do throws(MessageError) {
        differences = try own.signature.differences(
          fromMethod: declared.signature, "class", allowingPrefix: false)
      } catch { differences = [error.message] }
      return differences.isEmpty
        ? nil : UnmetRequirement(method: declared, differences: differences)
    }
  }
}
