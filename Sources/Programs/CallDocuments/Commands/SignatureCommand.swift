#if Everything
package import ArgumentParser
import CommandOptionsAndResults
import Invocations
import TypeEncodings

/// `hook-demo signature SIGNATURE`: the arguments and result of a block, method or function.
package struct SignatureCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "signature",
    abstract: "Explains the signature of a block, method or function.",
    discussion: """
      All arguments are listed, hidden ones included: a block has itself (@?) as argument 0, a \
      method its receiver (@ or #) and its selector (:). Frame offsets that the signature does not \
      give are those that clang would write. Below the signature stands its declaration in C, if C \
      has one.

      EXAMPLES
        hook-demo signature 'i20@?0i8d12'      int (^)(int, double)
        hook-demo signature 'v@?@?<v@?q>'      a block that takes a block
        hook-demo signature 'v24@0:8@16'       - (void)method:(id)argument
        hook-demo signature ddd                double pow(double, double)
        hook-demo signature 'int (^)(int, double)'    a declaration in C
        hook-demo signature --json 'v12@?0i8'  one JSON document
      """)

  @OptionGroup var output: OutputOptions

  @Argument(help: "Result and arguments, with or without frame offsets, or a declaration in C.")
  var signature: String

  package init() {}

  package func run() throws {
    try output.explain(signature) {
      // A union's encoding has a parenthesis, too, but next to no encoding has a space.
      SignatureDescription(
        CDeclaration.isWritten(signature) && signature.contains(" ")
          ? try MethodSignature(declaration: signature) : try MethodSignature(parsing: signature))
    }
  }
}
#endif
