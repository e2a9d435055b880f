/// A receiver's class for the text of an error; it does not keep a class alive that can die.
enum ReceiverClass: @unchecked Sendable {
  // SAFETY: `@unchecked Sendable`: a metatype is immutable.

  case swift(any MessageReceiver.Type)
  case atRunTime(name: String, isClassItself: Bool, known: @Sendable () -> [String])

  init(of receiver: any MessageReceiver) {
    // SAFETY: the address is only compared.
    let address = unsafe unsafeBitCast(type(of: receiver) as AnyClass, to: UInt.self)
    if receiver._messageIdentity.value == address {
      self = .swift(type(of: receiver))
    } else {
      let itself = receiver._messageClass
      self = .atRunTime(
        name: itself.own.name, isClassItself: itself.isClassItself, known: itself.methods.names)
    }
  }

  /// The receiver in words.
  var words: String {
    switch self {
    case .swift(let type): "an instance of \(ClassObject.of(type).name)"
    case .atRunTime(let name, let isClassItself, _):
      (isClassItself ? "the class " : "an instance of ") + name
    }
  }

  /// The names of the methods that the class has now.
  var methodNames: [String] {
    switch self {
    case .swift(let type): ClassObject.of(type).instanceMethods.names()
    case .atRunTime(_, _, let known): known()
    }
  }
}
