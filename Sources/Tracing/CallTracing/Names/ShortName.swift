internal import BlockRuntimeThreads

/// The names of functions in a form that is short enough for a line: whole, but without what only
/// compilers need.
enum ShortName {
  /// The short form of a demangled name.
  ///
  /// A Swift function is named by its type and its base name, without module, parameters and result
  /// (`Cart.add`); a closure and a local function by the functions in which they are written as
  /// well (`Cart.add › closure #1`); the parts of an async function, and what the optimizer makes
  /// of a function, by the function (`(merged)` if it may be another one of like code); the main
  /// function of an async program is `main`; a C++ function is named without parameters, template
  /// arguments and result. A text that is not a function's name in one of these languages is
  /// returned as it is.
  ///
  /// - Parameters:
  ///   - name: A demangled name.
  ///   - hasLabels: Whether a Swift function's argument labels are added, as in `Cart.add(_:to:)`.
  /// - Returns: The short form, or the name.
  static func make(_ name: String, hasLabels: Bool = false) -> String {
    let text = DemangledText(name)
    // A block without a name has its signature as title.
    if text.hasPrefix("block #") { return block(text) ?? name }
    if text.hasPrefix("block ") { return name }
    if let short = sentBlock(text, hasLabels: hasLabels) { return short }
    if text.hasPrefix("merged ") {
      // Of several functions that the optimizer has made one, the first gives the name.
      return (SwiftName.short(text, hasLabels: hasLabels) ?? name) + " (merged)"
    }
    return SwiftName.short(text, hasLabels: hasLabels) ?? CppName.short(text) ?? name
  }

  /// The short name, which is made once.
  static func make(_ name: String, knownIn memo: borrowing Locked<String?>) -> String {
    if let known = memo.withLock({ $0 }) { return known }
    let short = make(name)
    memo.withLock { $0 = short }
    return short
  }

  /// The name of a block that is known only by who sent it to a queue.
  ///
  /// - Parameters:
  ///   - function: The function of libdispatch that took the block.
  ///   - sender: The name of the function that sent it.
  /// - Returns: The name.
  static func block(sentBy function: String, in sender: String) -> String {
    "\(function)\(sentMark)\(sender)"
  }

  private static let sentMark = " block in "

  private static func sentBlock(_ text: DemangledText, hasLabels: Bool) -> String? {
    guard text.hasPrefix("dispatch_") else { return nil }
    let parts = text.string.split(separator: sentMark, maxSplits: 1)
    guard parts.count == 2 else { return nil }
    return "\(make(String(parts[1]), hasLabels: hasLabels)) › \(parts[0]) block"
  }

  /// A block in a C++ function, by the function.
  private static func block(_ text: DemangledText) -> String? {
    let parts = text.split(at: " in ")
    guard parts.count == 2 else { return nil }
    return "\(CppName.short(parts[1]) ?? parts[1].string) › \(parts[0].string)"
  }
}
