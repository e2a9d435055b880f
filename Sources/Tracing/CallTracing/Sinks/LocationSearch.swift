package import CodeSymbols

/// Finds the file and the line where code was written; nil if that is not known.
package typealias LocationSearch =
  @Sendable (_ code: CodePlace) -> (file: String, line: Int)?
