/// The parts of an error, as one reference, so that an error is small to pass through many frames.
public final class ErrorDetails: Hashable, Sendable {
  enum Message: Sendable {
    case text(String)
    case made(@Sendable () -> String)
    case prefixed(String, ErrorDetails)
  }

  let code: ErrorCode
  private let text: Message
  let subject: String?
  let place: ErrorPlace?
  let underlyingError: (any Error)?

  init(
    _ code: ErrorCode, _ text: Message, _ subject: String?, _ place: ErrorPlace?,
    _ underlyingError: (any Error)?
  ) {
    self.code = code
    self.text = text
    self.subject = subject
    self.place = place
    self.underlyingError = underlyingError
  }

  var message: String {
    switch text {
    case .text(let text): text
    case .made(let make): make()
    case .prefixed(let prefix, let details): prefix + details.message
    }
  }

  /// Whether the codes, messages, subjects and places are equal.
  public static func == (left: ErrorDetails, right: ErrorDetails) -> Bool {
    left === right
      || left.code == right.code && left.place == right.place && left.subject == right.subject
        && left.message == right.message
  }

  /// Hashes the code, the place and the subject.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(place)
    hasher.combine(subject)
  }
}
