import Foundation

/// Whether the tests run under emulation, as `Scripts/test --aarch64` announces.
public let isEmulated = ProcessInfo.processInfo.environment["BLOCKRUNTIME_EMULATED"] != nil

/// How often a long test does something: a tenth of `count` under a sanitizer or emulation, but at
/// least once.
public func shortened(_ count: Int) -> Int { isSanitized ? tenth(of: count) : emulated(count) }

/// How often a test does something that is long under emulation only: a tenth of `count` there.
public func emulated(_ count: Int) -> Int { isEmulated ? tenth(of: count) : count }

private func tenth(of count: Int) -> Int { max(1, count / 10) }
