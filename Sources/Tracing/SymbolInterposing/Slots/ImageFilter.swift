private import BlockABI
private import CSymbolInterposing.ContainedLibraries
private import CSymbolInterposing.WrappedSlots
private import Glibc

/// Selects images (programs and shared libraries) by their paths.
///
/// Patterns are those of the shell (`*`, `?`, `[…]`), and are compared with the image's path and
/// with the name of its file.
public struct ImageFilter: Hashable, Sendable {
  /// Patterns of the images to select; all images if empty.
  public var include: [String]

  /// Patterns of images that are left out even if `include` selects them.
  public var exclude: [String]

  /// Whether the image that holds this library's own code is left out.
  ///
  /// It is the program itself if that is linked with the library.
  public var excludesOwnImage: Bool

  /// Creates a filter.
  ///
  /// - Parameters:
  ///   - include: Patterns of the images to select; all images if empty.
  ///   - exclude: Patterns of images that are left out.
  ///   - excludesOwnImage: Whether the image that holds this library's own code is left out.
  public init(include: [String] = [], exclude: [String] = [], excludesOwnImage: Bool = false) {
    self.include = include
    self.exclude = exclude
    self.excludesOwnImage = excludesOwnImage
  }

  /// Every image.
  public static let all = ImageFilter()

  /// Selects the images of some patterns.
  ///
  /// - Parameter patterns: Such as `libdispatch.so*`.
  /// - Returns: The filter.
  public static func only(_ patterns: String...) -> ImageFilter { ImageFilter(include: patterns) }

  /// Selects all images but those of some patterns.
  ///
  /// - Parameter patterns: Such as `libdispatch.so*`.
  /// - Returns: The filter.
  public static func excluding(_ patterns: String...) -> ImageFilter {
    ImageFilter(exclude: patterns)
  }

  /// Every image but the one that holds this library's own code.
  public static let excludingOwnImage = ImageFilter(excludesOwnImage: true)

  /// Whether an image is selected.
  ///
  /// - Parameter path: Its path.
  /// - Returns: True if it is selected.
  public func admits(_ path: String) -> Bool {
    if excludesOwnImage, path == Self.ownImage { return false }
    return (include.isEmpty || include.contains { Self.matches(path, $0) })
      && !exclude.contains { Self.matches(path, $0) }
  }

  /// Whether an image's slots are replaced: those of the Swift runtime are only if `include`
  /// selects them.
  func reaches(_ path: String) -> Bool {
    admits(path) && (!include.isEmpty || !Self.isSwiftRuntime(path))
  }

  /// The filter that also leaves out what `reaches` does: of callers, where one slot has the calls
  /// of all images.
  var withoutRuntime: ImageFilter {
    var filter = self
    if include.isEmpty { filter.exclude += Self.swiftRuntime }
    return filter
  }

  /// Whether every image is selected.
  var isAll: Bool { self == .all }

  private static func matches(_ path: String, _ pattern: String) -> Bool {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    // SAFETY: the strings are null-terminated for the duration of the calls.
    return unsafe fnmatch(pattern, path, 0) == 0 || fnmatch(pattern, file, 0) == 0
  }

  /// The path of the program.
  static let program = resolved("/proc/self/exe") ?? ""

  /// The path of the image that holds this code, as the loader names it.
  static let ownImage: String = {
    let code: @convention(c) () -> Void = {}
    // SAFETY: the address is only looked up.
    let image = unsafe CodeSymbol(at: unsafeBitCast(code, to: UnsafeRawPointer.self))?.image ?? ""
    // For the program, the loader has the name by which it was started, which need not be a path.
    let path = resolved(image)
    return path == nil || path == program ? program : image
  }()

  /// Whether an image is the Swift runtime, or the C++ library through which it allocates.
  ///
  /// It calls `malloc` and `pthread_mutex_lock` under locks of its own, which handlers in Swift
  /// need.
  private static func isSwiftRuntime(_ path: String) -> Bool {
    swiftRuntime.contains { matches(path, $0) }
  }

  private static let swiftRuntime = ["libswiftCore.so", "libswift_Concurrency.so", "libstdc++.so*"]

  /// Whether the program contains this library and those whose functions are hooked: the image of
  /// this library's code is then that of all code.
  package static var containsLibraries: Bool { cbr_has_wrapped_slots() }

  /// The path of the image that holds code, or the name of the library, of those that the program
  /// contains; nil if no image holds the code.
  package static func library(of code: UnsafeRawPointer) -> String? {
    // SAFETY: the address is only looked up, and the text is copied at once.
    unsafe cbr_library_of(code).map { unsafe String(cString: $0) }
  }

  /// Whether an image is this library's own, and not the program that is linked with it.
  static func isOwnLibrary(_ path: String) -> Bool { path == ownImage && ownImage != program }

  private static func resolved(_ path: String) -> String? {
    // SAFETY: the path is null-terminated during the call; the result is freed here only.
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }
}

extension ImageFilter: CustomStringConvertible {
  /// The patterns in words.
  public var description: String {
    var words = [include.isEmpty ? "all images" : include.joined(separator: ", ")]
    if !exclude.isEmpty { words.append("without \(exclude.joined(separator: ", "))") }
    if excludesOwnImage { words.append("without the library's own") }
    return words.joined(separator: " ")
  }
}
