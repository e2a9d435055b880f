public import BlockABI
internal import Invocations
internal import TypeEncodings

extension Block {
  /// Runs another block of the same type in place of this one.
  ///
  /// The replacement is called with the arguments as they are, without a frame: it costs little more
  /// than a call of its own, and every type that the compiler can pass may be passed. It runs in the
  /// hook's place among the others, as a handler in the position `.instead` that does not proceed.
  ///
  /// A replacement that calls this block, or is replaced by it, calls itself for ever: to reach what
  /// lies below use `wrap(name:priority:_:)`.
  ///
  /// - Parameters:
  ///   - replacement: A value of the block's `@convention(block)` type. It must be safe to call from
  ///     every thread that calls this block.
  ///   - name: A name for descriptions and removal by name.
  ///   - priority: Higher is further out; 0 if not given.
  /// - Returns: The token that removes the hook.
  /// - Throws: `typeMismatch` with the differences, or if the value is no block; else as
  ///   `hook(_:name:priority:when:onError:_:)`. Types are compared as
  ///   `TypeEncoding.isCompatible(with:)` says.
  @_transparent
  @discardableResult
  public func replace<Value>(
    with replacement: borrowing Value, name: String? = nil, priority: Int = 0
  ) throws(HookError) -> Hook {
    let block: Block
    do throws(BlockError) { block = try Block(replacement) } catch {
      throw HookError(passing: error)
    }
    return try replace(with: block, as: Value.self, name: name, priority: priority)
  }

  /// Runs another block, of a compatible signature, in place of this one.
  ///
  /// - Parameters:
  ///   - replacement: The block; its signature is compared with this one's.
  ///   - name: A name for descriptions and removal by name.
  ///   - priority: Higher is further out; 0 if not given.
  /// - Returns: The token that removes the hook.
  /// - Throws: As for a value.
  @discardableResult
  public func replace(
    with replacement: Block, name: String? = nil, priority: Int = 0
  ) throws(HookError) -> Hook {
    let target = try hookTarget
    let differences: [SignatureDifference]
    do throws(BlockError) {
      differences = try replacement.requireSignature().differences(
        from: target.requireSignature(), ours: "replacement")
    } catch {
      throw HookError(passing: error)
    }
    guard differences.isEmpty else {
      throw HookError(
        .typeMismatch, differences.map(\.description).joined(separator: "; "))
    }
    return try target.install(replacement, OriginalBlock(of: target), name, priority)
  }

  /// Wraps a block in another of the same type, which gets the block as it was.
  ///
  /// ```swift
  /// typealias Add = @convention(block) (Int32, Double) -> Int32
  /// try block.wrap { (original: @escaping Add) -> Add in { original($0, $1) * 10 } }
  /// ```
  ///
  /// `original` runs the hooks that lie below and then the block's own code. It is a block of its own,
  /// with the block's captures, that may be kept and called at any time, on any thread; it does not
  /// keep this block, and cannot be hooked. While the hook is suspended, or removed with a call still
  /// inside, `original` runs those hooks of that moment that are still installed; once no call is
  /// inside a removed hook, it is the block's own code alone.
  ///
  /// - Parameters:
  ///   - name: A name for descriptions and removal by name.
  ///   - priority: Higher is further out; 0 if not given.
  ///   - make: Makes the wrapper; called once, at once, under no lock.
  /// - Returns: The token that removes the hook.
  /// - Throws: As `replace(with:name:priority:)`.
  @_transparent
  @discardableResult
  public func wrap<Value>(
    name: String? = nil, priority: Int = 0, _ make: (_ original: Value) -> Value
  ) throws(HookError) -> Hook {
    let original = try originalBlock(as: Value.self)
    // SAFETY: `Value` is the block's type, one pointer; what the cast gives has a reference of its own.
    let value = unsafe unsafeBitCast(original.pointer, to: Value.self)
    withExtendedLifetime(original) {}
    let wrapper: Block
    do throws(BlockError) { wrapper = try Block(make(value)) } catch {
      throw HookError(passing: error)
    }
    return try wrap(with: wrapper, original, name, priority)
  }

  @usableFromInline
  func replace(
    with replacement: Block, as type: Any.Type, name: String?, priority: Int
  ) throws(HookError) -> Hook {
    try wrap(with: replacement, originalBlock(as: type), name, priority)
  }

  /// The block as it is, for a typed hook of a Swift type.
  ///
  /// - Throws: `typeMismatch` and those of `OriginalBlock`.
  @usableFromInline
  func originalBlock(as type: Any.Type) throws(HookError) -> OriginalBlock {
    let target = try hookTarget
    do { try target.requireSignature(of: type) } catch { throw HookError(passing: error) }
    return try OriginalBlock(of: target)
  }

  @usableFromInline
  func wrap(
    with wrapper: Block, _ original: OriginalBlock, _ name: String?, _ priority: Int
  ) throws(HookError) -> Hook {
    try hookTarget.install(wrapper, original, name, priority)
  }

  private func install(
    _ replacement: Block, _ original: OriginalBlock, _ name: String?, _ priority: Int
  ) throws(HookError) -> Hook {
    guard replacement != self else {
      throw HookError(
        .typeMismatch,
        "a block that replaces itself would call itself for ever; use `wrap`, which passes the original"
      )
    }
    // SAFETY: the signatures have been compared.
    let definition = HookDefinition(.instead, name: name, priority: priority) { call in
      unsafe call.call(replacement)
    }
    return try install(definition, typed: TypedHook(replacement, original))
  }
}
