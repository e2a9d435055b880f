internal import BlockRuntimeThreads

extension ReferenceGraph {
  /// The label of tables that only lead to other tables.
  private static let associated = "associated value"

  /// The references of a cycle, as texts, and the name of the first holder at the end; nil if all
  /// of them are this library's, which ends such cycles itself.
  func texts(of path: Path) -> [String]? {
    var texts: [String] = []
    var (isTable, isFunction, isOwn) = (false, false, true)
    for (holder, index) in path {
      let edge = edges[holder][index]
      if let type = nodes[holder].instanceType, !type.isStorage {
        isFunction = false
        if !type.isOwn {
          (isTable, isOwn) = (false, false)
          texts.append(text(of: edge.reference, in: holder))
        } else if let table = nodes[holder].object as? any ReferenceTable, !table.label.isEmpty {
          // Of this library's objects only tables are named, and not what is in these.
          if texts.last == Self.associated { texts.removeLast() }
          if !isTable { texts.append(table.label) }
          isTable = table.label != Self.associated
        }
      }
      if let function = edge.reference.functionName, !edge.reference.isOwnFunction {
        (isTable, isOwn) = (false, false)
        if texts.last != function { texts.append(function) }
        isFunction = true
      }
      let captured = nodes[edge.target].instanceType
      if isFunction, let captured, !captured.isOwn, !captured.isStorage {
        texts[texts.count - 1] += " captures \(captured.name)"
      }
    }
    return isOwn ? nil : texts + (path.first.map { [name(of: $0.holder)] } ?? [])
  }

  /// A reference as a text: its holder, and its place in that.
  func text(of reference: FoundReference, in holder: Int) -> String {
    let (name, path) = (name(of: holder), reference.path)
    return path.isEmpty ? name : path.hasPrefix("[") ? name + path : "\(name).\(path)"
  }

  private func name(of holder: Int) -> String {
    let node = nodes[holder]
    return node.instanceType?.name ?? FoundReference(path: "", node: node).functionName ?? "closure"
  }
}
