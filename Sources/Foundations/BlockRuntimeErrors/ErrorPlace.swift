/// The place of a failure, in a text, in a call or in a collection.
public enum ErrorPlace: Hashable, Sendable {
  /// A byte of a file, or of a text such as an encoding or a key path, counted from 0.
  case byte(Int)

  /// An argument of a call, counted from 0 among all arguments that the signature lists.
  case argument(Int)

  /// An element of a collection.
  case element(Int)
}

extension ErrorPlace {
  /// The offset, if the place is a byte.
  package var byte: Int? { if case .byte(let offset) = self { offset } else { nil } }

  /// The index, if the place is an argument.
  package var argument: Int? { if case .argument(let index) = self { index } else { nil } }
}
