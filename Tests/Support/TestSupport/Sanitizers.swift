import Foundation

/// Whether the tests run under a sanitizer, as `Scripts/test --sanitize=NAME` announces.
public var isSanitized: Bool {
  ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains { name in
    ProcessInfo.processInfo.environment[name] != nil
  }
}
