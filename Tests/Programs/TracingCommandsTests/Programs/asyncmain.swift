// An async main that awaits what never comes, on no thread but libdispatch's; the kernel ends it.
import Glibc

@main struct M {
  static func main() async {
    print(getpid())
    fflush(nil)
    alarm(2)
    await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }
  }
}
