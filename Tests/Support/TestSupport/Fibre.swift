internal import CFixtures

/// A coroutine: a body on a stack of its own, which runs in turns with the code that resumes it.
@safe
public final class Fibre {
  private let stack: OpaquePointer
  private let body: (Fibre) -> Void

  // SAFETY: `with` allocates the stacks' memory and retains the fibres until it returns, when all
  // bodies have ended.

  /// Makes fibres whose stacks are adjacent in memory, and runs a closure with them.
  ///
  /// - Parameters:
  ///   - size: The size of each stack, in bytes.
  ///   - bodies: The body of each fibre, which starts when it is first resumed, and must have ended
  ///     when `use` returns.
  ///   - use: Resumes the fibres.
  public static func with(
    size: Int, _ bodies: [(Fibre) -> Void], _ use: ([Fibre]) throws -> Void
  ) rethrows {
    // SAFETY: each fibre has a part of the memory, which is freed when all bodies have ended.
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: size * bodies.count, alignment: 4096)
    defer { unsafe memory.deallocate() }
    let fibres = bodies.enumerated().map { index, body in
      unsafe Fibre(memory + index * size, size, body)
    }
    try use(fibres)
    withExtendedLifetime(fibres) {}
  }

  private init(_ memory: UnsafeMutableRawPointer, _ size: Int, _ body: @escaping (Fibre) -> Void) {
    self.body = body
    // SAFETY: `place` has room for a reference, which is stored before the body starts; the body
    // frees it. The fibre is alive while its body runs.
    let place = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)
    unsafe stack = unsafe fixture_stack_create(
      memory, size,
      { place in
        let fibre = unsafe place?.load(as: Unmanaged<Fibre>.self)
        unsafe place?.deallocate()
        unsafe fibre?._withUnsafeGuaranteedRef { $0.body($0) }
      }, place)
    unsafe place.storeBytes(of: Unmanaged.passUnretained(self), as: Unmanaged<Fibre>.self)
  }

  // SAFETY: the body is not running.
  deinit { unsafe fixture_stack_destroy(stack) }

  /// Continues the body until it yields or ends.
  ///
  /// - Returns: False once the body has ended.
  @discardableResult
  public func resume() -> Bool { unsafe fixture_stack_resume(stack) }

  /// Suspends the body, which calls this function, and continues the code that resumed it.
  public func yield() { unsafe fixture_stack_yield(stack) }
}
