#if !(Metrics || Everything)
public import BlockHooks

/// What a program meets that uses this product, but has not asked for the trait that it needs.
///
/// It takes any arguments, so that the compiler tells the reason, and not what is wrong with them.
@dynamicCallable
public struct MissingTrait {
  /// Is never called: who uses it is unavailable.
  public func dynamicallyCall(
    withKeywordArguments arguments: KeyValuePairs<String, Any>
  ) -> HookDefinition { HookDefinition { _ in } }
}

extension HookDefinition {
  /// Stands for what needs the trait.
  @available(
    *, unavailable,
    message: "TraceMetrics is empty without a trait of the package: traits: [\"Metrics\"]"
  )
  public static var timer: MissingTrait { MissingTrait() }
}
#endif
