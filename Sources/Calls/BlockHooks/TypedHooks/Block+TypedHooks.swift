public import BlockABI
internal import Invocations
internal import TypeEncodings

extension Block {
  /// Runs another block of the same type in place of this one.
  ///
  /// The replacement is called with the unchanged arguments, without a frame: the call costs little
  /// more than a direct call of the replacement, and the arguments may have any type that the
  /// compiler can pass. Among the other hooks it is a handler in the position `.instead` that does
  /// not proceed.
  ///
  /// A replacement that calls this block, or is itself replaced by this block, recurses without
  /// end: to call the inner hooks and the original use `wrap(name:priority:_:)`.
  ///
  /// - Parameters:
  ///   - replacement: A value of the block's `@convention(block)` type. It must be safe to call
  ///     from every thread that calls this block.
  ///   - name: A name for descriptions and removal by name.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  /// - Returns: The token that removes the hook.
  /// - Throws: `typeMismatch` with the differences, or if the value is not a block; otherwise the
  ///   errors of `hook(_:name:priority:when:onError:_:)`. Types are compared by
  ///   `TypeEncoding.isCompatible(with:)`.
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
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  /// - Returns: The token that removes the hook.
  /// - Throws: The errors of `replace(with:name:priority:)` for a value.
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

  /// Wraps a block in another of the same type, which can call the original.
  ///
  /// ```swift
  /// typealias Add = @convention(block) (Int32, Double) -> Int32
  /// try block.wrap { (original: @escaping Add) -> Add in { original($0, $1) * 10 } }
  /// ```
  ///
  /// `original` runs the inner hooks and then the block's own code. It is a separate block, with
  /// the block's captures, that may be stored and called at any time, on any thread; it does not
  /// retain this block, and cannot be hooked. While the hook is suspended, or was removed and a
  /// call is still inside it, `original` runs those hooks that were inner hooks at the suspension
  /// or removal and are still installed; when no call is inside a removed hook, `original` runs
  /// only the block's own code.
  ///
  /// - Parameters:
  ///   - name: A name for descriptions and removal by name.
  ///   - priority: A hook of a higher priority is outside of those of lower ones; 0 if not given.
  ///   - make: Makes the wrapper; called once, before this function returns, under no lock.
  /// - Returns: The token that removes the hook.
  /// - Throws: The errors of `replace(with:name:priority:)`.
  @_transparent
  @discardableResult
  public func wrap<Value>(
    name: String? = nil, priority: Int = 0, _ make: (_ original: Value) -> Value
  ) throws(HookError) -> Hook {
    let original = try originalBlock(as: Value.self)
    // SAFETY: `Value` is the block's type, one pointer, as `originalBlock` checks; the cast's
    // result retains the block.
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

  /// Makes the original for a typed hook of a Swift type.
  ///
  /// - Throws: `typeMismatch`, and the errors of `OriginalBlock`.
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
        "a block that replaces itself recurses without end; use `wrap`, which passes the original"
      )
    }
    // SAFETY: the callers have compared the signatures; the closure retains the replacement.
    let definition = HookDefinition(.instead, name: name, priority: priority) { call in
      unsafe call.call(replacement)
    }
    return try install(definition, typed: TypedHook(replacement, original))
  }
}
