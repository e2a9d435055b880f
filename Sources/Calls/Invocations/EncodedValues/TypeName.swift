/// The names of types.
package enum TypeName {
  /// A name that is the same in each process; the runtime's name of a private type says where the
  /// type was loaded.
  package static func lasting(_ type: Any.Type) -> String {
    var name = _typeName(type, qualified: true)
    while let start = name.firstRange(of: "(unknown context at "),
      let end = name[start.upperBound...].firstRange(of: ").")
    {
      name.removeSubrange(start.lowerBound..<end.upperBound)
    }
    return name
  }
}
