internal import BlockABI
internal import BlockHooks
internal import Invocations
internal import LoadedClasses

/// The slot of one class's method, and the hooks that were installed there; it is never freed.
///
/// Calls enter its stub, which calls a hooked C function. The hooks proceed to the slot of the
/// superclass if the method is inherited, and to the method itself otherwise.
@safe
final class HookedSlot: Sendable {
  // SAFETY: code that was ever in a slot, and all that it leads to, is never freed, because a
  // caller may have loaded its address; it has the type of the slot's method.

  private let slot: MethodSlot

  /// The method's own code.
  let original: RuntimeAddress

  /// The code that calls enter while the method is hooked: a Swift method.
  let code: RuntimeAddress

  private let function: HookedFunction
  private let interface: CallInterface
  private let stub: MethodStub

  /// The images that hold the class and the method, retained permanently, as the slot's code is.
  private let images: [LoadedImage]

  /// - Parameters:
  ///   - shape: How the method is called.
  ///   - owner: The class that the slot belongs to.
  ///   - slot: The slot.
  ///   - original: The method's own code.
  ///   - inner: The code to which the hooks proceed: the method, or the stub of the superclass's
  ///     slot.
  ///   - hooksChanged: Called without a lock held after hooks were installed or removed.
  /// - Throws: `unsupportedPlatform`, `noExecutableMemory`, and the errors of hooks.
  init(
    _ shape: MethodShape, of owner: ClassMetadata, _ slot: MethodSlot, original: RuntimeAddress,
    inner: RuntimeAddress, hooksChanged: @escaping @Sendable () -> Void
  ) throws(SwiftMethodError) {
    // SAFETY: `inner` has the method's type and is never freed.
    let call = unsafe try MethodStub(.outOfC, shape, target: inner)
    let interface = try shape.interface
    self.interface = interface
    do throws(HookError) {
      function = try HookedFunction(
        interface, "method", onError: reportHandlerError, hooksChanged: hooksChanged,
        around: .closure { frame in
          try shape.validate(frame, of: owner)
          unsafe frame.call(call.code.pointer)
        })
    } catch {
      throw SwiftMethodError(passing: error)
    }
    // SAFETY: the function has the signature of `shape`, and lives as long as this object.
    stub = unsafe try MethodStub(.intoC, shape, target: RuntimeAddress(function.code))
    code = stub.code
    self.slot = slot
    self.original = original
    images = [slot.address, original].compactMap { unsafe LoadedImage(holding: $0.pointer) }
  }

  /// Whether calls go through hooks.
  var hooksCalls: Bool { function.hooksCalls }

  /// Whether the slot holds this object's code.
  var isInPlace: Bool { slot.code == code }

  /// The hooks in place, outermost first.
  var hooks: [Hook] { function.hooks }

  /// Installs a hook, which runs once the slot holds the code.
  func install(_ definition: HookDefinition, title: String) throws(SwiftMethodError) -> Hook {
    // SAFETY: the address is only looked up.
    let code = unsafe UInt(bitPattern: original.pointer)
    do {
      return try function.install(
        definition.prepared(at: InstallationPoint(interface, code: code, title: title)))
    } catch {
      throw SwiftMethodError(passing: error)
    }
  }
}
