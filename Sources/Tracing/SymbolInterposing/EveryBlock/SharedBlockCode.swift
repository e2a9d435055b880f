internal import BlockABI
internal import BlockHooks
private import BlockRuntimeThreads
internal import Invocations

/// The replacement of the code of all blocks of one source, which runs their hooks.
///
/// Only the invoke pointer of a block is changed, so hooking a block allocates nothing.
final class SharedBlockCode: BlockCode {
  let source: BlockSource
  private let function: HookedFunction

  /// The hooks by their requests; nil while one is being installed.
  private let hooks = GatedLock<[ObjectIdentifier: Hook?]>([:])

  /// Makes the code.
  ///
  /// - Parameters:
  ///   - source: The properties that the blocks share.
  ///   - interface: Their call interface.
  ///   - invoke: The code that they enter, which must stay loaded while they are called.
  /// - Throws: `outOfMemory`, `noExecutableMemory`, `unsupportedType`.
  init(
    _ source: BlockSource, _ interface: CallInterface, _ invoke: UnsafeRawPointer
  ) throws(HookError) {
    self.source = source
    // SAFETY: the code has the interface's signature, and its image is loaded while its blocks are
    // called.
    function = unsafe try HookedFunction(
      interface, "block", inPlaceOf: UInt(bitPattern: invoke), onError: reportHandlerError,
      hooksChanged: {}, around: .code(invoke))
  }

  // SAFETY: the function is never freed.
  var address: UnsafeRawPointer? { unsafe function.code }

  func join(_ block: Block) -> Bool { block.beginFollowing(function) }

  /// Installs the hook of a request.
  ///
  /// - Throws: `noPosition`, `invalidCondition`, `tooManyHooks`.
  func install(_ request: BlockRequest) throws(HookError) {
    guard let definition = request.definition(source) else { return }
    let key = ObjectIdentifier(request)
    let isFirst = hooks.withLock { $0.updateValue($0[key] ?? nil, forKey: key) == nil }
    guard isFirst else { return }
    do throws(HookError) {
      let hook = try function.install(definition)
      hooks.withLock { $0[key] = hook }
    } catch {
      _ = hooks.withLock { $0.removeValue(forKey: key) }
      throw error
    }
    // The request may have been withdrawn meanwhile.
    if request.isRemoved { remove(request) }
  }

  func remove(_ request: BlockRequest) {
    let hook = hooks.withLock { $0.removeValue(forKey: ObjectIdentifier(request)) }
    guard let hook = hook ?? nil else { return }
    request.ending.remove(hook)
  }
}
