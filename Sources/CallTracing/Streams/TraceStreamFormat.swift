/// What the records of a trace stream are; writer and reader are always of one version.
///
/// A body is a head, then what its kind needs: integers in the processor's order, and texts led by
/// the number of their bytes.
enum TraceStreamFormat {
  /// The kinds of record.
  enum Kind: UInt8 {
    /// Code that is called: number, address, hidden arguments, limit of a value's text, name,
    /// image, signature.
    case code = 1
    /// A thread seen for the first time: its name.
    case thread
    /// A call begins: code, start, arguments as words or as texts.
    case begin
    /// A call ends: place of its begin, time, result as words or as text, error.
    case end
    /// Nothing of the program can be traced: code, message.
    case refusal
    /// It can be, after a refusal.
    case acceptance
  }

  /// What a record has of what it may have.
  struct Parts: OptionSet {
    let rawValue: UInt8

    /// Arguments or result, copied.
    static let words = Parts(rawValue: 1)
    /// Arguments or result, rendered.
    static let texts = Parts(rawValue: 2)
    /// The error that the traced level threw.
    static let error = Parts(rawValue: 4)
    /// The call reached what lies below the traced level.
    static let hasProceeded = Parts(rawValue: 8)
    /// The code's name.
    static let name = Parts(rawValue: 16)
    /// The code's image.
    static let image = Parts(rawValue: 32)
    /// The program was ended before it began.
    static let isEnd = Parts(rawValue: 64)
  }

  /// What every body begins with.
  struct Head {
    static let size = 16

    let kind: Kind
    let parts: Parts
    let depth: Int32
    let process: Int32
    let thread: Int32
  }
}
