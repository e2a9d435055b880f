private import BlockABI
private import BlockRuntimeThreads
package import CodeSymbols
private import Glibc

/// The code that is traced: a function to which blocks were compiled, with its name and its image.
///
/// Blocks of the same source are one subject. Two subjects are equal if they are the same code
/// called with the same signature; other code that comes to the address of unloaded code is another
/// one.
public final class TraceSubject: Sendable {
  /// The demangled name of a Swift function, the symbol of any other; nil if no image has one.
  public let name: String?

  /// The path of the program or shared library; nil if no image holds the code.
  public let image: String?

  /// The signature with which the code is called; empty for code that is traced without values,
  /// such as that of blocks without a usable signature.
  public let signature: String

  /// What `signature` is where there is none.
  static let noSignature = ""

  var hasSignature: Bool { signature != Self.noSignature }

  /// Where the code is in a file; nil if no image holds it.
  package let place: CodePlace?

  /// The code's address, nil for a closure behind a function pointer or a block made at run time.
  public let address: UInt?

  /// The bytes of the texts.
  let textBytes: Int

  private let memo = Locked<String?>(nil)

  convenience init(code: UnsafeRawPointer?, title: String? = nil, signature: String) {
    // SAFETY: the address is only looked up.
    let symbol = unsafe code.flatMap { unsafe CodeSymbol(at: $0) }
    self.init(
      name: title ?? symbol?.name, image: symbol?.image, signature: signature,
      address: unsafe code.map { UInt(bitPattern: $0) }, place: symbol?.place)
  }

  init(
    name: String?, image: String?, signature: String, address: UInt?, place: CodePlace? = nil
  ) {
    self.place = place
    self.name = name
    self.image = image
    self.signature = signature
    self.address = address
    textBytes = (name?.utf8.count ?? 0) + (image?.utf8.count ?? 0) + signature.utf8.count
  }

  /// The name, or the signature if there is none.
  public var title: String { name ?? "block \(signature)" }

  /// The name in a form that is short enough for a line; nil without a name.
  ///
  /// A Swift function has neither module, nor parameters, nor result: `Cart.add`; a closure is
  /// named by the function in which it is written: `Cart.add › closure #1`.
  public var shortName: String? { name.map { ShortName.make($0, knownIn: memo) } }

  /// The short name, or the signature if there is none.
  var shortTitle: String { shortName ?? title }

  /// Whether a shell pattern (`*`, `?`, `[…]`) matches the whole title, the image's path or the
  /// name of the image's file.
  func matches(_ pattern: String) -> Bool {
    let file = image?.split(separator: "/").last.map(String.init)
    return [title, image, file].contains { text in
      // SAFETY: both strings are null-terminated for the duration of the call.
      text.map { unsafe fnmatch(pattern, $0, 0) == 0 } ?? false
    }
  }
}

extension TraceSubject: Hashable {
  /// Whether both are the same code called with the same signature.
  public static func == (left: TraceSubject, right: TraceSubject) -> Bool {
    left === right
      || (left.address == right.address && left.signature == right.signature
        && left.name == right.name && left.image == right.image)
  }

  /// Hashes the address.
  public func hash(into hasher: inout Hasher) { hasher.combine(address) }
}

extension TraceSubject: CustomStringConvertible {
  /// The title and, if there is one, the image.
  public var description: String { image.map { "\(title) in \($0)" } ?? title }
}
