import Foundation

/// Whether the tests run under emulation, as `Scripts/test --aarch64` announces.
public let isEmulated = ProcessInfo.processInfo.environment["BLOCKRUNTIME_EMULATED"] != nil

/// How often a long test does something: a tenth of `count` under a sanitizer or emulation, but at
/// least once.
public func shortened(_ count: Int) -> Int {
  isSanitized || isEmulated ? max(1, count / 10) : count
}
