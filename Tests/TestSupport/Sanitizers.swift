import Foundation

/// Whether the tests run under a sanitizer, as `Scripts/test --sanitize=NAME` announces.
public var isSanitized: Bool {
  ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains { name in
    ProcessInfo.processInfo.environment[name] != nil
  }
}

/// The environment of programs whose threads wait for each other's locks: unlike the tests, they do
/// not tell ThreadSanitizer of the toolchain's `Mutex`, and it would report what that guards.
public let withoutReportsOfRaces = ["TSAN_OPTIONS": "report_bugs=0"]
