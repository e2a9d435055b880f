#if Everything
package import ArgumentParser
import CommandOptionsAndResults
import Glibc
import Invocations
import TypeEncodings

/// `hook-demo call LIBRARY SYMBOL SIGNATURE [ARGUMENT…]`: calls any C function.
package struct CallCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "call",
    abstract: "Calls any C function by its type encoding, in a process of its own.",
    usage: """
      hook-demo call [--fixed <n>] [--engine <engine>] [--json] <library> <symbol> <signature> \
      [<argument> ...]
      hook-demo call [--engine <engine>] [--json] <library> <declaration> [<argument> ...]
      hook-demo call --batch <file>
      """,
    discussion: """
      Options come before the library; every word after it is a value. The signature is a \
      function's: each type behind the result takes one argument. A declaration in C has both the \
      name and the signature.

      EXAMPLES
        hook-demo call libm.so.6 'double pow(double, double)' 2 10    prints 1024
        hook-demo call libm.so.6 pow ddd 2 10                the same by its encoding
        hook-demo call - abs ii -5                           - is all that is loaded
        hook-demo call - getenv '*r*' HOME                   text for a C string
        hook-demo call - 'int printf(const char *, ...)' '"%d %g\\n"' 7 0.5
        hook-demo call libm.so.6 frexp dd^i 10 '{"buffer":[0]}'
        hook-demo call - div '{?=ii}ii' 17 5                 prints [3,2]
        hook-demo call --json - exit vi 3                    an error: "terminated"
        hook-demo call --batch calls.jsonl                   a line for each line

      VALUES
        A word that is JSON is JSON. Another word is the text of a C string, or nan, inf or -inf.
          integer     -5, or "-5" or "0xff" in quotes
          bool        true, false, 1 or 0
          float       0.1, "nan", "inf", "-inf"
          complex     [re, im]
          C string    "text" or null
          pointer     "0x7f00" or null
          structure   [1,2], or {"x":1,"y":2} where the encoding has names
          array       [1,2,3]
          union       {"member":0,"value":1}
        A pointer may be {"buffer":[1,2]}: memory with these elements (bytes for * and ^v). What it \
      holds after the call is printed too.

      RESULTS
        A result of -1 or null has the name of errno behind it, if the function set that: -1 (ENOENT).
        With --json {"result":…,"outputs":[…],"errno":"ENOENT"}: integers beyond 2^53 and 128-bit \
      ones are strings, a union and a C string that is not UTF-8 are {"bytes":"hex"}, outputs \
      lists the buffers by argument. What the function itself prints then goes to standard error.

      BATCH
        Each line is {"library","symbol","signature","arguments","fixed"}; library may be left out \
      for -, arguments if there are none, signature if symbol is a declaration. The calls share a \
      process; one that ends it is answered with {"error":{"code":"terminated",…}}, and the next \
      line gets a new process.
      """)

  @Option(
    help: """
      Of a variadic function, how many arguments its encoding declares; what printf and scanf \
      take, their formats say.
      """)
  var fixed: Int?

  @Option(help: "Read calls from a file, - for standard input: a JSON document a line.")
  var batch: String?

  @OptionGroup var engine: EngineOptions
  @OptionGroup var output: OutputOptions

  @Argument(help: "The file name or path of a shared library, - for all that is loaded.")
  var library: String?

  @Argument(help: "The function's name, or its declaration in C.")
  var symbol: String?

  @Argument(help: "The function's type encoding, such as ddd for pow.")
  var signature: String?

  @Argument(help: "A value for each argument.")
  var arguments: [String] = []

  package init() {}

  package func validate() throws {
    if batch != nil {
      guard library == nil, fixed == nil else {
        throw ValidationError("--batch takes the library, the values and \"fixed\" from its lines")
      }
    } else if library == nil || symbol == nil || signature == nil && !isDeclared {
      throw ValidationError("Missing expected arguments: <library> <symbol> <signature>")
    }
  }

  private var isDeclared: Bool { CDeclaration.isWritten(symbol ?? "") }

  package func run() throws {
    engine.choose()
    if let batch {
      try BatchRun(path: batch).run()
    } else {
      try call()
    }
  }

  /// Makes a single call, that of the command line.
  private func call() throws {
    // Behind a declaration, which holds the signature, the first value stands in the signature's
    // place.
    let valueCount = arguments.count + (isDeclared && signature != nil ? 1 : 0)
    let request = WorkerMessage(
      kind: output.json ? .wordsForJSON : .words,
      bytes: CallRequest.message(
        library: library ?? "", symbol: symbol ?? "", signature: isDeclared ? "" : signature ?? "",
        arguments: Self.lastWords(valueCount), fixedCount: fixed))
    let worker = WorkerProcess(.init(sharesInput: true, sharesOutput: !output.json))
    defer { worker.finish() }
    let answer = try output.reporting { () throws(Failure) in
      try worker.ask(request).answer(symbol: symbol)
    }
    let text = String(decoding: answer.bytes, as: UTF8.self)
    if answer.kind == .success || output.json {
      StandardOutput.write(text)
    } else {
      StandardError.write(text)
    }
    guard answer.kind == .success else { throw ExitCode.failure }
  }

  /// The last words of the command line, as bytes, because not every word is Unicode text.
  private static func lastWords(_ count: Int) -> [[UInt8]] {
    let all = Int(CommandLine.argc)
    return (max(all - count, 0)..<all).compactMap { index in
      // SAFETY: `unsafeArgv` has `argc` C strings, which live as long as the process.
      unsafe CommandLine.unsafeArgv[index].map { word in
        unsafe Array(UnsafeRawBufferPointer(start: word, count: strlen(word)))
      }
    }
  }

  /// The words of a command line with the mark `--` inserted before the library.
  ///
  /// The parser accepts options anywhere before the mark, and none after it, where values may look
  /// like options.
  package static func marked(_ words: [String]) -> [String] {
    guard words.first == configuration.commandName else { return words }
    var index = 1
    while index < words.count {
      let word = words[index]
      if word == "--" { return words }
      if word == "-" || !word.hasPrefix("-") {
        return words[..<index] + ["--"] + words[index...]
      }
      index += ["--fixed", "--batch", "--engine"].contains(word) ? 2 : 1
    }
    return words
  }
}
#endif
