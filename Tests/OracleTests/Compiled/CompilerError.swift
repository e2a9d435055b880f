/// Why C source did not become a library.
struct CompilerError: Error, CustomStringConvertible {
  let description: String
}
