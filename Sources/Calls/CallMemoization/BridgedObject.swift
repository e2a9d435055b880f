internal import Invocations

/// What an object is for the comparison of calls: Swift or Foundation may have made it from a value
/// for one call.
///
/// Classes of Foundation are recognised by name, as the library does not link it. `==` is called
/// only for classes in which it is known to work: the hash of an `NSDecimalNumber` never returns.
enum BridgedObject {
  /// An object that holds a Swift value of any type, which is the contents if it can be read.
  case box(contents: Any?)
  /// A number.
  case number
  /// A set or a dictionary, with the type that stands for all sets or all dictionaries.
  case unordered(Any.Type)
  /// Another value that can be compared with others.
  case comparable
  /// A value that cannot be compared.
  case incomparable
  /// An object that is not a value, and is distinguished by its identity.
  case other

  /// The types that stand for all sets, and for all dictionaries.
  static var setForm: Any.Type { Set<AnyHashable>.self }
  static var dictionaryForm: Any.Type { [AnyHashable: Any].self }

  init(_ object: AnyObject) {
    if let value = object as? SwiftValue {
      self = .box(contents: value.value)
      return
    }
    switch _typeName(type(of: object), qualified: true) {
    case "Foundation.__SwiftValue":
      self = .box(contents: Self.contents(of: object))
    case "Swift.__SwiftValue":
      // Casts see the value in the box.
      self = .box(contents: object as? AnyHashable)
    case "Foundation.NSNumber": self = .number
    case "Foundation.NSSet", "Foundation.NSMutableSet": self = .unordered(Self.setForm)
    case "Foundation.NSDictionary", "Foundation.NSMutableDictionary":
      self = .unordered(Self.dictionaryForm)
    case let name where Self.comparableClasses.contains(name): self = .comparable
    case let name where Self.incomparableClasses.contains(name): self = .incomparable
    default: self = .other
    }
  }

  /// The contents of Foundation's box.
  ///
  /// If the value has a mirror of its own, the mirror of the box is that of the value.
  private static func contents(of box: AnyObject) -> Any? {
    let mirror = Mirror(reflecting: box)
    func cast<Value>(_ type: Value.Type) -> Any? { box as? Value }
    guard mirror.subjectType is AnyClass else {
      return _openExistential(mirror.subjectType, do: cast)
    }
    return mirror.children.first { $0.label == "value" }?.value
  }

  private static let comparableClasses = foundation([
    "NSArray", "NSData", "NSDate", "NSIndexPath", "NSIndexSet", "NSLocale", "NSMutableArray",
    "NSMutableData", "NSMutableIndexSet", "NSMutableString", "NSNull", "NSString", "NSTimeZone",
    "NSURL", "NSUUID", "__NSCFBoolean", "_NSCFConstantString",
  ])

  private static let incomparableClasses = foundation([
    "NSAffineTransform", "NSAttributedString", "NSCalendar", "NSCharacterSet", "NSDateComponents",
    "NSDateInterval", "NSDecimalNumber", "NSError", "NSMeasurement", "NSMutableAttributedString",
    "NSMutableCharacterSet", "NSNotification", "NSPersonNameComponents", "NSURLComponents",
    "NSURLQueryItem",
    "_NSCFCharacterSet",
  ]).union(["FoundationNetworking.NSMutableURLRequest", "FoundationNetworking.NSURLRequest"])

  private static func foundation(_ names: [String]) -> Set<String> {
    Set(names.map { "Foundation." + $0 })
  }
}
