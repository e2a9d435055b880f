internal import BlockABI
internal import BlockHooks
internal import Invocations

// SAFETY, for the whole file: what stands in a slot, and what it leads to, is never freed, for callers
// may have read it at any time; it has the type that the slot's method was declared with.

/// The slot of one class's method, and the hooks that were installed there; it lives for ever.
///
/// Calls enter its stub, which hands them to a hooked C function; below that lies the slot of the
/// superclass, if the method is inherited, and the method itself otherwise.
@safe
final class HookedSlot: Sendable {
  private let slot: MethodSlot

  /// The method without any hooks.
  let original: RuntimeAddress

  /// What calls enter if the method is hooked: a Swift method.
  let code: RuntimeAddress

  private let function: HookedFunction
  private let stub: MethodStub

  /// What holds the class and the method: as the slot's code, it is needed for ever.
  private let images: [LoadedImage]

  /// - Parameters:
  ///   - shape: How the method is called.
  ///   - owner: The class that the slot belongs to.
  ///   - slot: The slot.
  ///   - original: The method without any hooks.
  ///   - below: What the hooks proceed to: the same, or the code of the superclass's slot.
  ///   - hooksChanged: Called when hooks were installed or removed, under no lock.
  /// - Throws: `unsupportedPlatform`, `noExecutableMemory`; those of a hook.
  init(
    _ shape: MethodShape, of owner: ClassMetadata, _ slot: MethodSlot, original: RuntimeAddress,
    below: RuntimeAddress, hooksChanged: @escaping @Sendable () -> Void
  ) throws(SwiftMethodError) {
    let call = unsafe try MethodStub(.outOfC, shape, target: below)
    let interface = try shape.interface
    do throws(HookError) {
      function = try HookedFunction(
        interface, "method", onError: reportHandlerError, hooksChanged: hooksChanged
      ) { frame in
        try shape.validate(frame, of: owner)
        unsafe frame.call(call.code.pointer)
      }
    } catch {
      throw SwiftMethodError(passing: error)
    }
    stub = unsafe try MethodStub(.intoC, shape, target: RuntimeAddress(function.code))
    code = stub.code
    self.slot = slot
    self.original = original
    images = [slot.place, original].compactMap { unsafe LoadedImage(holding: $0.pointer) }
  }

  /// Whether calls go through hooks.
  var hooksCalls: Bool { function.hooksCalls }

  /// Whether calls enter the slot's own code.
  var isInPlace: Bool { slot.code == code }

  /// The hooks in place, outermost first.
  var hooks: [Hook] { function.hooks }

  /// Installs a hook in the function, which calls reach once the code stands in the slot.
  func install(_ definition: HookDefinition) throws(SwiftMethodError) -> Hook {
    do { return try function.install(definition) } catch { throw SwiftMethodError(passing: error) }
  }
}
