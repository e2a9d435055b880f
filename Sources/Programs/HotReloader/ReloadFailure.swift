#if Macros
/// Why functions cannot be replaced, or the program not be started, with the remedy.
struct ReloadFailure: Error {
  let message: String
}
#endif
