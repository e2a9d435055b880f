internal import BlockRuntimeThreads

/// The boxes of an object's associated values, and its deinit hooks.
///
/// - Parameter object: The object.
/// - Returns: The boxes and the hooks.
package func associatedObjects(of object: AnyObject) -> [AnyObject] {
  RecordTable.contents(of: object)
}

extension AnyAssociationBox: ReferenceTable {
  package var label: String { "associated value" }
}

extension DeinitHook: ReferenceTable {
  package var label: String { "deinit hook" }
}
