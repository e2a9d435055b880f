#if Macros
/// A protocol with the attribute `@Forwarding`.
struct ForwardedProtocol {
  let name: String
  let access: String

  /// `nonisolated `, if that is written before the protocol.
  let isolation: String
  let attributes: [String]
  let globalActor: String?
  let isSendable: Bool
  let inherited: [String]
  let requirements: [Requirement]
}
#endif
