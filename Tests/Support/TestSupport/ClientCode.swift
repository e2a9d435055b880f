private import Foundation
public import XCTest

/// Code of a program that uses the running build's modules; tests ask whether the compiler refuses it.
public struct ClientCode {
  private let files: CompiledFiles
  private let options: [String]

  /// Finds the modules of the build that the tests belong to.
  ///
  /// - Parameter test: The test.
  /// - Throws: Errors of the file system.
  public init(_ test: XCTestCase) throws {
    files = try CompiledFiles(test)
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    let modules = bundle.deletingLastPathComponent().appendingPathComponent("Modules").path
    options =
      [
        "-c", "-o", "\(files.directory)/Client.o", "-swift-version", "6",
        "-diagnostic-style", "llvm",
        "-I", modules,
      ]
      // Headers include those of other modules.
      + PackageFiles.optionsForModulesInC
  }

  /// Compiles code in the Swift 6 mode, as a program: also what is sent from one task to another is checked.
  ///
  /// - Parameters:
  ///   - code: A file of Swift.
  ///   - allowsWarnings: Whether code with warnings is accepted.
  /// - Returns: The compiler's messages; nil if it accepts the code.
  /// - Throws: What the file system does; `CompilerError` if there is no compiler.
  public func refusal(
    of code: String, allowingWarnings allowsWarnings: Bool = true
  ) throws -> String? {
    let options = options + [allowsWarnings ? "-suppress-warnings" : "-warnings-as-errors"]
    let path = try files.write("Client.swift", Array(code.utf8), mode: 0o644)
    do { try Compiler("swiftc").run(options + [path]) } catch let error as CompilerError {
      return error.description
    }
    return nil
  }

  /// The numbers of the lines of code that the compiler refuses in the Swift 6 mode.
  ///
  /// - Parameter code: A file of Swift.
  /// - Returns: The numbers, from 1.
  /// - Throws: What the file system does; `CompilerError` if there is no compiler.
  public func refusedLines(of code: String) throws -> Set<Int> {
    let messages = (try refusal(of: code) ?? "").split(separator: "\n")
    return Set(
      messages.filter { $0.contains(": error: ") }.compactMap { message in
        message.firstRange(of: "Client.swift:").flatMap { place in
          Int(message[place.upperBound...].prefix { $0 != ":" })
        }
      })
  }
}
