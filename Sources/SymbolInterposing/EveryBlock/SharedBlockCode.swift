internal import BlockABI
internal import BlockHooks
private import BlockRuntimeThreads
internal import Invocations

// SAFETY, for the whole file: the code has the interface's signature, and is of an image that stays
// loaded while its blocks are called.

/// What takes the place of the code of all blocks of one source, and leads to their hooks.
///
/// A block's invoke pointer is all that is changed, so hooking a block allocates nothing.
final class SharedBlockCode: BlockCode {
  let source: BlockSource
  private let function: HookedFunction

  /// The hooks, by who asked for them; nil while one is being made.
  private let hooks = Locked<[ObjectIdentifier: Hook?]>([:])

  /// Makes the code.
  ///
  /// - Parameters:
  ///   - source: What the blocks have in common.
  ///   - interface: How they are called.
  ///   - invoke: The code that they enter first.
  /// - Throws: `outOfMemory`, `noExecutableMemory`, `unsupportedType`.
  init(
    _ source: BlockSource, _ interface: CallInterface, _ invoke: UnsafeRawPointer
  ) throws(HookError) {
    self.source = source
    let address = UInt(bitPattern: invoke)
    function = try HookedFunction(
      interface, "block", inPlaceOf: address, onError: reportHandlerError, hooksChanged: {},
      surround: { call, handler in try ReentrancyGuard.ignoringThread { try handler(&call) } },
      below: { frame in
        guard let invoke = unsafe UnsafeRawPointer(bitPattern: address) else { return }
        ReentrancyGuard.runningOriginal { unsafe frame.call(invoke) }
      })
  }

  var address: UnsafeRawPointer? { unsafe function.code }

  func join(_ block: Block) -> Bool { block.follow(function) }

  /// Installs the hook of a request.
  ///
  /// - Throws: `noPosition`, `invalidCondition`, `tooManyHooks`.
  func install(_ request: BlockRequest) throws(HookError) {
    guard let definition = request.definition(source) else { return }
    let key = ObjectIdentifier(request)
    let isFirst = hooks.withLock { $0.updateValue($0[key] ?? nil, forKey: key) == nil }
    guard isFirst else { return }
    let hook = try function.install(definition)
    hooks.withLock { $0[key] = hook }
    // It may have been withdrawn meanwhile.
    if request.isRemoved { remove(request, andWait: false) }
  }

  func remove(_ request: BlockRequest, andWait: Bool) {
    let hook = hooks.withLock { $0.removeValue(forKey: ObjectIdentifier(request)) }
    guard let hook = hook ?? nil else { return }
    if andWait { hook.removeAndWait() } else { hook.remove() }
  }
}
