public import Foundation

/// The files of this package.
public enum PackageFiles {
  /// The package's directory: the first above this file that has a manifest.
  public static let root: URL = {
    var folder = URL(fileURLWithPath: #filePath)
    repeat {
      folder.deleteLastPathComponent()
    } while folder.path != "/"
      && !FileManager.default.fileExists(
        atPath: folder.appendingPathComponent("Package.swift").path)
    return folder
  }()

  /// Each module's folder, from the package's root, by the module's name: `Sources/<wing>/<module>`.
  public static let folders: [String: String] = {
    func names(_ folder: String) -> [String] {
      (try? FileManager.default.contentsOfDirectory(
        atPath: root.appendingPathComponent(folder).path)) ?? []
    }
    // The module that stands for the whole library is in no wing.
    let umbrella = "BlockRuntime"
    let wings = names("Sources").filter { $0 != umbrella }.map { "Sources/\($0)" }
    let modules = wings.flatMap { wing in names(wing).map { ($0, "\(wing)/\($0)") } }
    return Dictionary(modules + [(umbrella, "Sources/\(umbrella)")]) { _, last in last }
  }()

  /// The path of a module's folder from the package's root.
  ///
  /// - Parameter module: The module's name.
  /// - Returns: The path; that of a folder which does not exist, if the package has no such module.
  public static func folder(of module: String) -> String { folders[module] ?? "Sources/\(module)" }

  /// The module that a file belongs to.
  ///
  /// - Parameter path: The file's path from the package's root.
  /// - Returns: The module's name; nil for a file outside of all modules.
  public static func module(of path: String) -> String? {
    folders.first { path.hasPrefix("\($0.value)/") }?.key
  }

  /// A file's text.
  ///
  /// - Parameter path: The file's path from the package's root.
  /// - Returns: The text.
  /// - Throws: What reading the file throws.
  public static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// The options by which a compiler of Swift finds the package's modules in C.
  public static let optionsForModulesInC: [String] = folders.values.sorted().flatMap { folder in
    ["\(folder)/include", folder].map { root.appendingPathComponent($0).path }
      .filter { FileManager.default.fileExists(atPath: "\($0)/module.modulemap") }
      .flatMap { ["-Xcc", "-I\($0)", "-Xcc", "-fmodule-map-file=\($0)/module.modulemap"] }
  }
}
