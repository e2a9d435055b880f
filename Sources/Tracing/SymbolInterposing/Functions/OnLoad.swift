private import BlockRuntimeThreads
public import IsolatedClosures
internal import LoadedClasses

/// Calls a closure with the classes of libraries that are opened from now on:
/// `objc_addLoadImageFunc`.
///
/// ```swift
/// onLoad(of: (any Plugin.Type).self) { plugin in print("found", plugin.init()) }
/// ```
///
/// Libraries that are loaded already are not told of: `ClassObject.loaded(as:)` lists their
/// classes. Ask for the token first, so that no library is missed that is opened meanwhile. While
/// there is a token, calls of `dlopen` by loaded objects run code of this library (see
/// <doc:Interposing>). What the C library loads by itself, and what handlers and closures of this
/// library open, is told at the next call of `dlopen`, or of
/// `ImportedFunction.followLoadedObjects()`.
///
/// - Parameters:
///   - type: The type of the classes: `Page.Type.self` for the subclasses of a class, `(any
///     Plugin.Type).self` for the classes that conform to a protocol, `AnyClass.self` for all.
///     Generic classes are not told of.
///   - handler: It is called on a thread that opened a library, before `dlopen` returns, and never
///     by two threads at once: if another thread opens one meanwhile, the first one tells of that
///     too. The library's constructors have run. If a constructor of another library opened it, the
///     thread holds the loader's lock: do not wait for other threads.
/// - Returns: The token that ends it.
@discardableResult
public func onLoad<Classes>(
  of type: Classes.Type, _ handler: @escaping @Sendable (Classes) -> Void
) -> LoadObservation {
  LoadObservation(NewClasses(handler))
}

/// A closure that is called with the classes of libraries that are opened later: the token that
/// ends that.
///
/// Dropping the token does not end it.
public final class LoadObservation: Removable {
  private let classes: Locked<(any ToldClasses)?>

  fileprivate init(_ classes: any ToldClasses) {
    self.classes = Locked(classes)
    ImportedFunction.whenObjectsAreLoaded { [self] in
      guard let classes = self.classes.withLock({ $0 }) else { return true }
      classes.tell()
      return false
    }
  }

  /// Ends it, also while the closure runs; if it was ended before, does nothing.
  ///
  /// - Returns: True if this call ended it.
  @discardableResult
  public func remove() -> Bool { classes.exchange(nil) != nil }
}

/// Classes of which a closure is told, without their type.
private protocol ToldClasses: Sendable {
  func tell()
}

/// The classes of a type that were not there before.
private final class NewClasses<Classes>: ToldClasses {
  private let known = Locked(Set(ClassDescriptor.allLoaded()))
  private let handler: @Sendable (Classes) -> Void

  init(_ handler: @escaping @Sendable (Classes) -> Void) { self.handler = handler }

  func tell() {
    let new: [Classes] = known.withLock { ClassMetadata.loaded(as: Classes.self, besides: &$0) }
    // No lock is held while the closure runs, which may open libraries itself.
    for type in new { handler(type) }
  }
}
