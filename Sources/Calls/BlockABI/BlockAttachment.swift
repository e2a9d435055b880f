private import CBlockABI.BlockAttachment

/// An object that is attached to a block and notified when the block dies.
package protocol BlockAttachment: AnyObject {
  /// Called once when the block's last reference was released, before its captures are, on the
  /// thread that released it and without a lock held.
  func blockWillDie(_ block: borrowing DyingBlock)
}

/// A block whose last reference was released, but whose captures were not yet.
@safe
package struct DyingBlock: ~Copyable {
  // SAFETY: the value exists only while the attachment is notified; the block is complete
  // meanwhile.
  fileprivate let pointer: UnsafeRawPointer

  /// Copies the block for calls of it that are still in progress.
  ///
  /// - Returns: A block with the same code and captures, without hooks; nil if memory is short.
  package func copied() -> Block? {
    // SAFETY: the block is complete until its attachment has been notified.
    guard let copy = unsafe cbr_attachment_copy_block(pointer) else { return nil }
    return unsafe Block(adopting: copy)
  }
}

/// Holds an attached object behind a single pointer, which C can store.
private final class AttachmentBox {
  let attachment: any BlockAttachment

  init(_ attachment: any BlockAttachment) { self.attachment = attachment }
}

extension Block {
  /// Copies a block that has an attachment, with its captures.
  ///
  /// - Returns: A separate block with the code that the block had before the attachment; nil if
  ///   memory is short.
  package func twin() -> Block? {
    // SAFETY: the reference keeps the block alive.
    guard let copy = unsafe cbr_attachment_copy_block(reference.pointer) else { return nil }
    return unsafe Block(adopting: copy)
  }

  /// The object attached to the block, if any.
  package var attachment: (any BlockAttachment)? {
    // SAFETY: the reference keeps the block alive, and the block its attachment.
    guard let context = unsafe cbr_attachment_context(reference.pointer) else { return nil }
    return unsafe Unmanaged<AttachmentBox>.fromOpaque(context).takeUnretainedValue().attachment
  }

  /// Attaches an object to a heap or global block for the rest of the block's life.
  ///
  /// The caller must prevent other attachments to the same block at the same time.
  ///
  /// - Throws: `outOfMemory`; `protectedMemory` for a global block whose page cannot be made
  ///   writable.
  package func attach(_ attachment: any BlockAttachment) throws(BlockError) {
    let context = unsafe Unmanaged.passRetained(AttachmentBox(attachment))
    let willDie: @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?) -> Void = {
      context, block in
      guard let context = unsafe context, let block = unsafe block else { return }
      // SAFETY: the context is the box retained above, which lives until `release` is called.
      let box = unsafe Unmanaged<AttachmentBox>.fromOpaque(context).takeUnretainedValue()
      box.attachment.blockWillDie(unsafe DyingBlock(pointer: block))
    }
    let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
      guard let context = unsafe context else { return }
      // SAFETY: this is called once, and balances the retain above.
      unsafe Unmanaged<AttachmentBox>.fromOpaque(context).release()
    }
    // SAFETY: the reference keeps the block alive; the attachment owns `context` once it is
    // installed.
    do throws(BlockError) {
      var isInstalled = false
      // Another copy of this library may replace the descriptor meanwhile: then the attachment is
      // made anew, from that one.
      while !isInstalled {
        let created = unsafe cbr_attachment_create(
          reference.pointer, context.toOpaque(), willDie, release)
        guard let created = unsafe created else {
          throw BlockError(.outOfMemory, "no memory for a block's descriptor; free some")
        }
        defer { if !isInstalled { unsafe cbr_attachment_discard(created) } }
        isInstalled = unsafe try header.install(created)
      }
    } catch {
      unsafe context.release()
      throw error
    }
  }
}
