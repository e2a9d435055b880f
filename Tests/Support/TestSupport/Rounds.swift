import Foundation

/// Whether long tests do a tenth of their rounds.
///
/// They do under a sanitizer, under emulation, and in `.ci/run`; `Scripts/nightly` has all rounds.
public let isShort =
  isSanitized || isEmulated || ProcessInfo.processInfo.environment["BLOCKRUNTIME_SHORT"] != nil

/// How often a long test does something: a tenth of `count` where tests are short, but at least once.
public func shortened(_ count: Int) -> Int { isShort ? tenth(of: count) : count }

/// How often a test does something that is long under emulation only: a tenth of `count` there.
public func emulated(_ count: Int) -> Int { isEmulated ? tenth(of: count) : count }

private func tenth(of count: Int) -> Int { max(1, count / 10) }
