/// An object of this library that holds references which its memory does not show: behind a lock,
/// because the compiler does not describe what cannot be copied, or behind a pointer.
///
/// The search for retain cycles asks the object for these references.
package protocol ReferenceTable: AnyObject {
  /// The table's name in a cycle; empty if cycles leave the table out.
  var label: String { get }

  /// A value that holds the same references.
  var contents: Any { get }
}

extension ReferenceTable {
  package var label: String { "" }
  package var contents: Any { () }
}
