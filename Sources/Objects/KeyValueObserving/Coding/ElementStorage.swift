/// An array whose elements are read and changed without their static type.
protocol ElementStorage: ObservableCollection {
  init()
  static var elementType: Any.Type { get }

  /// A value in the type of the elements; nil if it cannot be converted.
  static func element(_ value: Any?) -> Any?

  var count: Int { get }
  var elements: [Any?] { get }

  /// Replaces the elements of a range by converted ones.
  mutating func replace(_ range: Range<Int>, with elements: [Any])
}

extension Array: ElementStorage {
  static var elementType: Any.Type { Element.self }
  static func element(_ value: Any?) -> Any? {
    converted(value, to: Element.self).map { $0 as Any }
  }

  var elements: [Any?] { map { withoutOptionals($0) } }

  mutating func replace(_ range: Range<Int>, with elements: [Any]) {
    replaceSubrange(range, with: elements.lazy.compactMap { $0 as? Element })
  }
}

/// A set whose members are read and changed without their static type.
protocol MemberStorage {
  init()
  static var memberType: Any.Type { get }

  /// A value in the type of the members; nil if it cannot be converted.
  static func member(_ value: Any?) -> AnyHashable?

  init(members: Set<AnyHashable>)
  var count: Int { get }
  var members: Set<AnyHashable> { get }
}

extension Set: MemberStorage {
  static var memberType: Any.Type { Element.self }
  static func member(_ value: Any?) -> AnyHashable? {
    converted(value, to: Element.self).map { AnyHashable($0) }
  }

  init(members: Set<AnyHashable>) { self = Set(members.lazy.compactMap { $0.base as? Element }) }
  var members: Set<AnyHashable> { Set<AnyHashable>(lazy.map { AnyHashable($0) }) }
}
