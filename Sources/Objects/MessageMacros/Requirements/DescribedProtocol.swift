#if Macros
public import MessageForwarding

/// Describes a protocol as messages see it.
///
/// - Parameters:
///   - name: The name.
///   - inherited: The protocols from which it inherits.
///   - methods: The requirements; nil stands for a requirement that is no message.
/// - Returns: The protocol, or the error of its description.
public func describedProtocol(
  _ name: String, inheriting inherited: [Result<MessageProtocol, MessageError>],
  _ methods: [MethodDescription?]
) -> Result<MessageProtocol, MessageError> {
  Result { () throws(MessageError) in
    var parents: [MessageProtocol] = []
    for parent in inherited { parents.append(try parent.get()) }
    return try MessageProtocol(name, inheriting: parents, methods.compactMap { $0 })
  }
}
#endif
