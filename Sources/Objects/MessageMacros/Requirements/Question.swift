#if Macros
internal import CMessageMacros
internal import Synchronization

/// The question of a thread to an object, or to none: the requirement for which it asks.
@safe
@usableFromInline
struct ThreadQuestion {
  // SAFETY: `outer` is the address of a caller's question, or nil.
  private let requirement: OptionalRequirement
  private let object: ObjectIdentifier?
  private var isLeftOut = false
  private var outer: UnsafeMutableRawPointer?

  @usableFromInline
  init(_ requirement: OptionalRequirement, to object: AnyObject?) {
    self.requirement = requirement
    self.object = object.map { ObjectIdentifier($0) }
  }

  /// Makes a question the innermost of the thread.
  ///
  /// ## Safety
  /// The question must stay where it is until `end`, which is called on the same thread.
  @unsafe
  @usableFromInline
  static func begin(_ question: UnsafeMutablePointer<Self>) {
    unsafe question.pointee.outer = unsafe cmm_question()
    unsafe cmm_set_question(question)
  }

  /// Ends a question.
  ///
  /// - Returns: Whether the object's type leaves the requirement out.
  @unsafe
  @usableFromInline
  static func end(_ question: UnsafeMutablePointer<Self>) -> Bool {
    unsafe cmm_set_question(question.pointee.outer)
    return unsafe question.pointee.isLeftOut
  }

  static func leaveOut(_ requirement: OptionalRequirement, by object: AnyObject) {
    // SAFETY: the thread's question is in the memory of a caller.
    guard let address = unsafe cmm_question() else { return }
    let question = unsafe address.assumingMemoryBound(to: Self.self)
    if unsafe question.pointee.object == ObjectIdentifier(object),
      unsafe requirement.answers(question.pointee.requirement)
    {
      unsafe question.pointee.isLeftOut = true
    }
  }
}

/// The question of a task to an object: the requirement for which it asks.
final class TaskQuestion: Sendable {
  @TaskLocal static var current: TaskQuestion?

  private let requirement: OptionalRequirement
  private let object: ObjectIdentifier
  private let leftOut = Atomic(false)

  init(_ requirement: OptionalRequirement, to object: AnyObject) {
    self.requirement = requirement
    self.object = ObjectIdentifier(object)
  }

  /// Whether the object's type leaves the requirement out.
  var isLeftOut: Bool { leftOut.load(ordering: .acquiring) }

  static func leaveOut(_ requirement: OptionalRequirement, by object: AnyObject) {
    guard let question = current, question.object == ObjectIdentifier(object),
      requirement.answers(question.requirement)
    else { return }
    question.leftOut.store(true, ordering: .releasing)
  }
}
#endif
