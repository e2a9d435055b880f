internal import Invocations

/// What an object is that Swift or Foundation may have made of a value for one call.
///
/// Foundation is known by the names of its classes only, as the library does not link it. Its `==` is
/// asked of classes for which it is known to answer: `NSDecimalNumber` never comes back from its hash.
enum BridgedObject {
  /// An object that holds a Swift value of any type: the value, where it can be seen.
  case box(contents: Any?)
  /// A value that says whether it is equal to another.
  case comparable
  /// A value that does not.
  case incomparable
  /// No value: an object that is told apart by its identity.
  case other

  init(_ object: AnyObject) {
    if let value = object as? SwiftValue {
      self = .box(contents: value.value)
      return
    }
    switch _typeName(type(of: object), qualified: true) {
    case "Foundation.__SwiftValue":
      self = .box(contents: Self.contents(of: object))
    case "Swift.__SwiftValue":
      // It looks like its value to casts.
      self = .box(contents: object as? AnyHashable)
    case let name where Self.comparableClasses.contains(name): self = .comparable
    case let name where Self.incomparableClasses.contains(name): self = .incomparable
    default: self = .other
    }
  }

  /// What a box of Foundation's holds.
  ///
  /// It looks like a value that has a mirror of its own.
  private static func contents(of box: AnyObject) -> Any? {
    let mirror = Mirror(reflecting: box)
    func cast<Value>(_ type: Value.Type) -> Any? { box as? Value }
    guard mirror.subjectType is AnyClass else {
      return _openExistential(mirror.subjectType, do: cast)
    }
    return mirror.children.first { $0.label == "value" }?.value
  }

  private static let comparableClasses = foundation([
    "NSArray", "NSData", "NSDate", "NSDictionary", "NSIndexPath", "NSIndexSet", "NSLocale",
    "NSMutableArray", "NSMutableData", "NSMutableDictionary", "NSMutableIndexSet", "NSMutableSet",
    "NSMutableString", "NSNull", "NSNumber", "NSPersonNameComponents", "NSSet", "NSString",
    "NSTimeZone", "NSURL", "NSUUID", "__NSCFBoolean", "_NSCFConstantString",
  ])

  private static let incomparableClasses = foundation([
    "NSAffineTransform", "NSAttributedString", "NSCalendar", "NSCharacterSet", "NSDateComponents",
    "NSDateInterval", "NSDecimalNumber", "NSError", "NSMeasurement", "NSMutableAttributedString",
    "NSMutableCharacterSet", "NSNotification", "NSURLComponents", "NSURLQueryItem",
    "_NSCFCharacterSet",
  ]).union(["FoundationNetworking.NSMutableURLRequest", "FoundationNetworking.NSURLRequest"])

  private static func foundation(_ names: [String]) -> Set<String> {
    Set(names.map { "Foundation." + $0 })
  }
}
