#if Everything
package import ArgumentParser
import CommandOptionsAndResults
import TypeEncodings

/// `hook-demo encoding TYPE`: the layout of one encoded type.
package struct EncodingCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "encoding",
    abstract: "Explains one type encoding: its kind, size, alignment and fields.",
    discussion: """
      The layout is the one that the C compiler gives the type on this platform. A type without \
      one (void, an opaque record, a bit-field that does not say its declared type) is explained \
      all the same, with the reason.

      EXAMPLES
        hook-demo encoding i                     a 32-bit integer
        hook-demo encoding '{CGPoint="x"d"y"d}'  a structure with names
        hook-demo encoding '{Flags=b0i3b3i5}'    bit-fields, GNU's way
        hook-demo encoding '(Number=i[4f])'      a union
        hook-demo encoding '^{_IO_FILE}'         a pointer to an opaque type
        hook-demo encoding '@?<v@?i>'            a block
        hook-demo encoding --json '[12^f]'       one JSON document
        hook-demo encoding -- '-x'               a value with a hyphen
      """)

  @OptionGroup var output: OutputOptions

  @Argument(help: "The type encoding; quote it for the shell.")
  var type: String

  package init() {}

  package func run() throws {
    try output.explain(type) { TypeDescription(try TypeEncoding(parsing: type)) }
  }
}
#endif
