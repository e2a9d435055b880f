#if !Macros
// Stand-ins for the macros in a program that has not enabled the trait they need: global actors,
// because the name of one may be an attribute.

/// Stands in for the macro, which needs the trait.
@available(
  *, unavailable,
  message: "MessageMacros is empty without a trait of the package: traits: [\"Macros\"]"
)
@globalActor
public actor Forwarding {
  /// The actor that the attribute names.
  public static let shared = Forwarding()
}

/// Stands in for the macro, which needs the trait.
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
