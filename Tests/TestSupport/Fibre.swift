internal import CFixtures

/// A stack beside the thread's own, for a body that runs in turns with its resumer.
@safe
public final class Fibre {
  private let stack: OpaquePointer
  private let body: (Fibre) -> Void

  // SAFETY, for the whole class: the memory is the fibre's until it is over, and the fibre lives until
  // then.

  /// Makes fibres whose stacks lie side by side, and runs something with them.
  ///
  /// - Parameters:
  ///   - size: The size of each stack, in bytes.
  ///   - bodies: What each fibre runs when it is first resumed; it must be over when `use` returns.
  ///   - use: Resumes them.
  public static func with(
    size: Int, _ bodies: [(Fibre) -> Void], _ use: ([Fibre]) throws -> Void
  ) rethrows {
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

  deinit { unsafe fixture_stack_destroy(stack) }

  /// Goes on with the body.
  ///
  /// - Returns: False once the body is over.
  @discardableResult
  public func resume() -> Bool { unsafe fixture_stack_resume(stack) }

  /// Goes on with who resumed the body, which calls this.
  public func yield() { unsafe fixture_stack_yield(stack) }
}
