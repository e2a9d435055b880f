internal import SymbolInterposing

/// What may have a function that the program and its libraries do not have.
enum Newcomers {
  private static let loading: Set = ["dlopen", "dlmopen"]

  private static let starting: Set = [
    "execl", "execle", "execlp", "execv", "execve", "execveat", "execvp", "execvpe", "fexecve",
    "popen", "posix_spawn", "posix_spawnp", "system",
  ]

  /// What this library needs: a program has it, too, which would not load or start anything by it.
  private static let ownLibraries = [
    "libswift*", "libdispatch.so*", "libBlocksRuntime.so*", "libffi.so*", "libstdc++.so*",
  ]

  /// Whether the program has a way to load libraries, or to start programs where these are traced.
  static func arePossible(_ followsPrograms: Bool) -> Bool {
    let ways = followsPrograms ? loading.union(starting) : loading
    let images = ImageFilter(exclude: ownLibraries, excludesOwnImage: true)
    return ImportSlot.all(in: images).contains { ways.contains($0.symbol) }
  }
}
