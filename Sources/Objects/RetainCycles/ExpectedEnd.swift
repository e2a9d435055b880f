public import BlockRuntimeErrors
private import Dispatch
private import ObjectLifetimes

/// The error of an object that was expected to end, and has not; it says what holds the object.
public struct RetainCycleError: BlockRuntimeError {
  /// The parts of the error.
  public let details: ErrorDetails

  /// Creates an error from the parts of another error.
  public init(details: ErrorDetails) { self.details = details }
}

extension ErrorCode {
  /// An object that was expected to end, and is alive.
  public static let objectIsAlive = ErrorCode(rawValue: "objectIsAlive")
}

/// Lets go of an object, and waits until it has been destroyed; otherwise throws an error that says
/// what holds it.
///
/// ```swift
/// final class Page { var onLoad: (() -> Void)? }
/// var page: Page? = Page()
/// page?.onLoad = { [page] in print(page as Any) }
/// try unsafe expectEnds(&page)
/// // objectIsAlive: Page is alive: Page.onLoad → closure #1 captures Page → Page; …
/// ```
///
/// The call returns as soon as the object has been destroyed, on any thread; a deinit hook reports
/// that. It blocks the calling thread meanwhile, so an object that is released on the main queue
/// must be expected elsewhere.
///
/// ## Safety
/// If the object is still alive when the time is over, the objects that it holds are searched: see
/// `RetainCycle.find(from:limit:)`. No other thread may change them during the search.
///
/// - Parameters:
///   - object: The variable with the object; it is set to nil, unless its end cannot be seen. If it
///     is nil, nothing is expected.
///   - time: How long to wait at most. An object whose deinit has begun by then, on another thread,
///     has ended.
/// - Throws: `objectIsAlive` with the cycles that hold the object; the errors of
///   `onDeinit(of:_:_:)` if its end cannot be seen.
@unsafe
public func expectEnds<Object: AnyObject>(
  _ object: inout Object?, within time: Duration = .seconds(1)
) throws(RetainCycleError) {
  let end = DispatchSemaphore(value: 0)
  let hook: DeinitHook
  do throws(LifetimeError) {
    guard let object else { return }
    hook = try onDeinit(of: object) { end.signal() }
  } catch { throw RetainCycleError(passing: error) }
  weak let rest = object
  object = nil
  let (seconds, attoseconds) = max(time, .zero).components
  let nanoseconds = UInt64(min(seconds, 1_000_000_000)) * 1_000_000_000
  let deadline =
    DispatchTime.now().uptimeNanoseconds + nanoseconds
    + UInt64(attoseconds / 1_000_000_000)
  guard end.wait(timeout: DispatchTime(uptimeNanoseconds: deadline)) == .timedOut else { return }
  hook.remove()
  // The object may have ended meanwhile.
  guard let alive = rest else { return }
  let search = unsafe RetainCycle.find(from: alive)
  let name = _typeName(Object.self, qualified: false)
  let cycles = search.cycles.filter(\.holdsStart).map(\.description)
  var reasons = cycles
  if cycles.isEmpty {
    reasons.append("it is in no cycle that was found, so something else refers to it")
  }
  if !search.isComplete { reasons.append("the search reached its limit") }
  if !search.unknown.isEmpty {
    reasons.append("unknown: \(search.unknown.joined(separator: ", "))")
  }
  throw RetainCycleError(
    .objectIsAlive, "\(name) is alive: \(reasons.joined(separator: "; "))", subject: name)
}
