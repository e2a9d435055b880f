// a continuation that is leaked (freed without resume): Swift prints a warning
@main struct M {
  static func main() async {
    await withCheckedContinuation { (c: CheckedContinuation<Void, Never>) in _ = c }
  }
}
