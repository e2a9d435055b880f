#if !Macros
// What a program meets that uses this product, but has not asked for the trait that it needs.
// Global actors are what may stand where the macros would.

/// Stands for what needs the trait.
@available(
  *, unavailable,
  message: "MessageMacros is empty without a trait of the package: traits: [\"Macros\"]"
)
@globalActor
public actor Forwarding {
  /// The actor that the attribute names.
  public static let shared = Forwarding()
}

/// Stands for what needs the trait.
@available(
  *, unavailable,
  message: "MessageMacros is empty without a trait of the package: traits: [\"Macros\"]"
)
@globalActor
public actor Messages {
  /// The actor that the attribute names.
  public static let shared = Messages()
}
#endif
