package import BlockABI
package import Invocations

/// What a definition can know of its target when it is installed.
package struct InstallationPoint {
  /// The interface of the target's calls; without arguments for a block whose calls have no frame.
  package let interface: CallInterface

  /// The address of the target's code, which is only looked up; 0 if the target has no code of its
  /// own.
  package let code: UInt

  /// A name for the target, used if its code has no symbol.
  package let title: String?

  /// The block, if the target is one.
  package let block: Block?

  /// Whether callers receive errors.
  package let canThrow: Bool

  /// Describes a function or a method.
  package init(_ interface: CallInterface, code: UInt = 0, title: String?, canThrow: Bool = false) {
    self.interface = interface
    self.code = code
    self.title = title
    self.canThrow = canThrow
    block = nil
  }

  /// Describes a block.
  init(_ block: Block, _ interface: CallInterface) {
    self.interface = interface
    self.block = block
    // SAFETY: the address is only looked up.
    code = unsafe UInt(bitPattern: block.compiledCode)
    title = nil
    canThrow = false
  }
}

extension InstallationPoint {
  /// Refuses variadic targets: what is passed in place of `...` cannot be kept.
  ///
  /// - Throws: `unsupportedType`.
  package func requireFixedArguments() throws(HookError) {
    guard interface.isVariadic else { return }
    throw HookError(
      .unsupportedType,
      "what \(title ?? "the block") is passed in place of ... cannot be kept; hook with a call frame, "
        + "which reads it by call.variadic")
  }
}

extension HookDefinition {
  /// Returns the definition, adapted to one target.
  ///
  /// - Parameter point: The target.
  /// - Returns: The definition, which is not prepared again.
  /// - Throws: What `prepare` throws.
  package func prepared(
    at point: @autoclosure () -> InstallationPoint
  ) throws(HookError) -> HookDefinition {
    guard let prepare else { return self }
    var definition = self
    definition.prepare = nil
    try prepare(&definition, point())
    return definition
  }
}
