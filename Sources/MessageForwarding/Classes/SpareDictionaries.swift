private import Locks

/// Method dictionaries of single objects, used again when their object has died: the slots of one are
/// never freed.
enum SpareDictionaries {
  private static let spare = Locked<[MethodDictionary]>([])

  /// An empty dictionary that inherits from none.
  static func take() -> MethodDictionary {
    spare.withLock { $0.popLast() }
      ?? MethodDictionary(
        MethodDictionary.nextIdentity(), of: DynamicDelegate.self, inheriting: nil)
  }

  /// Empties a dictionary whose object has died.
  static func giveBack(_ dictionary: MethodDictionary) {
    dictionary.removeAll()
    spare.withLock { $0.append(dictionary) }
  }
}
