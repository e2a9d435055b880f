/// The code of Swift's overlay of libdispatch that calls a program's closure, as that of
/// `DispatchQueue.sync` does.
///
/// It is one piece of code for the closures of the whole program, so that the name tells nothing:
/// records name it by the function that sent the block.
struct OverlayCodes {
  private struct Key: Hashable {
    let code: ObjectIdentifier
    let caller: ObjectIdentifier
  }

  /// The code under another name; what the key identifies lives as long as this.
  private struct Named {
    let code: RecordedCode
    let caller: TraceCaller
    let named: RecordedCode
  }

  private var all = RecentValues<ObjectIdentifier, RecordedCode>(
    limit: CollectedCodes.limit, weigh: \.weight)
  private var named = RecentValues<Key, Named>(limit: CollectedCodes.limit) {
    $0.code.weight + TraceStreamFormat.weight(ofTexts: $0.caller.textBytes) + $0.named.weight
  }

  /// Notes a code if it is the overlay's.
  mutating func add(_ code: RecordedCode) {
    let subject = code.subject
    guard code.kind == .call else { return }
    // A program that is linked with a static overlay has its code, and a stripped overlay no names.
    let isOverlay =
      subject.shortName.map { name in
        ["DispatchQueue._sync", "DispatchQueue.concurrentPerform"].contains { name.hasPrefix($0) }
      } ?? (subject.image?.hasSuffix("/libswiftDispatch.so") == true)
    if isOverlay { all[ObjectIdentifier(code)] = code }
  }

  /// The code under the name that tells most.
  ///
  /// - Parameters:
  ///   - code: The code.
  ///   - submission: How its block was sent to a queue.
  /// - Returns: The code, or that of the same subject under another name.
  mutating func code(_ code: RecordedCode, sentBy submission: TraceSubmission?) -> RecordedCode {
    guard all.count > 0, let submission, all[ObjectIdentifier(code)] != nil,
      let caller = submission.callers.first, let name = caller.name
    else { return code }
    let key = Key(code: ObjectIdentifier(code), caller: ObjectIdentifier(caller))
    if let known = named[key] { return known.named }
    let subject = code.subject
    let made = RecordedCode(
      TraceSubject(
        name: ShortName.block(sentBy: submission.function, in: name), image: caller.image,
        signature: subject.signature, address: subject.address, place: caller.place),
      code.capture)
    named[key] = Named(code: code, caller: caller, named: made)
    return made
  }
}
