#if !(Database)
/// Stands in for this product's API in a program that has not enabled the trait it needs.
///
/// Any arguments fit, so that the compiler reports the missing trait, and not the arguments.
@dynamicCallable
public struct MissingTrait {
  /// Is never called, because every use of the type is unavailable.
  public func dynamicallyCall(
    withKeywordArguments arguments: KeyValuePairs<String, Any>
  ) -> MissingTrait { self }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Stands in for a function that needs the trait.
@available(
  *, unavailable,
  message: "MemoDatabases is empty without a trait of the package: traits: [\"Database\"]"
)
public var MemoDatabase: MissingTrait { MissingTrait() }
#endif
