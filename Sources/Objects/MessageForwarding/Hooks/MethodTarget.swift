public import BlockHooks
internal import BlockRuntimeSuggestions
public import Invocations

/// A target of hooks: a method, for all instances of a class or for one object.
///
/// `Page.target("load:")` is the method of a class, and of every subclass that inherits it;
/// `page.target("load:")` is that of one object only, whose hooks are removed when it dies.
///
/// Hooks of methods have the same order, conditions, errors and tokens as those of blocks. Argument
/// 0 of a call is the receiver, 1 the selector, 2 the first parameter.
///
/// The hooks of an object are outside of those of its class, and those of a class outside of the
/// inherited method with its hooks; each group has its own order. The override of a subclass is a
/// separate method.
///
/// A hook applies to the signature that the method has at the installation. While the class has a
/// method of another signature, after `replaceMethod(_:)`, messages skip the hook.
///
/// Errors that the method throws are thrown to the sender. Handlers find such an error as
/// `call.error` in place of a result, and may set a result with `setResult(_:)` or replace the
/// error with `setError(_:)`.
public struct MethodTarget: HookTarget, CustomStringConvertible {
  /// The name of the method.
  public let selector: Selector

  fileprivate let place: HookedReceiver

  /// Installs a hook that is described by a value.
  ///
  /// - Parameter definition: The hook; it may be installed any number of times.
  /// - Returns: The token that removes this installation. Dropping it removes nothing.
  /// - Throws: `noSuchMethod`, `invalidMethod`, `signatureConflict`, and the errors of hooks, such
  ///   as `noPosition` and `tooManyHooks`; the reason if an object can have no associated values.
  @discardableResult
  public func install(_ definition: HookDefinition) throws(MessageError) -> Hook {
    try place.hooks(of: selector).install(definition, title: description)
  }

  /// The method's own hooks, outermost first: those that run for its one object only, or those of
  /// its class, without inherited ones and those of `EveryMessage`.
  public var hooks: [Hook] {
    place.existingMethods?.methodHooks(existing: selector)?.hooks ?? []
  }

  /// The class and the method.
  public var description: String { place.name(of: selector) }
}

extension MessageReceiver {
  /// A method of the class, to be hooked for every instance.
  ///
  /// - Parameter selector: The method, which the class has or inherits.
  /// - Returns: The target.
  public static func target(_ selector: Selector) -> MethodTarget {
    classObject.instanceTarget(selector)
  }

  /// A method of this object, to be hooked for it only: a class method of a `ClassObject`.
  ///
  /// - Parameter selector: The method.
  /// - Returns: The target, which retains the object.
  public func target(_ selector: Selector) -> MethodTarget {
    MethodTarget(selector: selector, place: .object(self))
  }
}

extension TypedMessageReceiver {
  /// A method of the class by its typed selector, to be hooked for every instance.
  ///
  /// - Parameter selector: The method, `\.degrees`.
  /// - Returns: The target.
  public static func target<Typed: TypedSelector>(
    _ selector: (Messages) -> Typed
  ) -> MethodTarget {
    target(selector(Messages()).selector)
  }

  /// A method of this object by its typed selector, to be hooked for it only.
  ///
  /// - Parameter selector: The method, `\.degrees`.
  /// - Returns: The target, which retains the object.
  public func target<Typed: TypedSelector>(_ selector: (Messages) -> Typed) -> MethodTarget {
    target(selector(Messages()).selector)
  }
}

extension ClassObject {
  /// A method of the instances, to be hooked for all of them.
  ///
  /// - Parameter selector: The method, which the class has or inherits.
  /// - Returns: The target.
  public func instanceTarget(_ selector: Selector) -> MethodTarget {
    MethodTarget(selector: selector, place: .instances(self))
  }

  /// Calls `resolveMethod(_:)` of the Swift class if its instances do not have the method.
  func resolve(_ selector: Selector) {
    guard instanceMethods.innerMethod(selector) == nil else { return }
    _ = (swiftClass as? any MessageReceiver.Type)?.resolveMethod(selector)
  }
}

extension MethodDictionary {
  func noSuchMethod(_ selector: Selector) -> MessageError {
    let known = allSelectors
    return MessageError(.noSuchMethod, subject: selector.name) {
      let hint = Suggestion.nearest(to: selector.name, in: known.map(\.name))
      return "there is no method \(selector) to hook or exchange; declare it in the class's table"
        + (hint.map { ", or did you mean \($0)?" } ?? "")
    }
  }
}
