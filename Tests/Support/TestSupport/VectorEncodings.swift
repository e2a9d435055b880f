extension String {
  /// The encoding with the alignments that large vectors have on this processor: at most 16 bytes on
  /// AArch64.
  public var withLocalVectors: String {
    #if arch(arm64)
    replacing(#/,(32|64)/#, with: ",16")
    #else
    self
    #endif
  }
}
