#if !(Logging || Everything)
/// What a program meets that uses this product, but has not asked for the trait that it needs.
///
/// It takes any arguments, so that the compiler tells the reason, and not what is wrong with them.
@dynamicCallable
public struct MissingTrait {
  /// Is never called: who uses it is unavailable.
  public func dynamicallyCall(
    withKeywordArguments arguments: KeyValuePairs<String, Any>
  ) -> MissingTrait { self }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Stands for what needs the trait.
@available(
  *, unavailable,
  message: "TraceLogging is empty without a trait of the package: traits: [\"Logging\"]"
)
public var LogTraceSink: MissingTrait { MissingTrait() }
#endif
