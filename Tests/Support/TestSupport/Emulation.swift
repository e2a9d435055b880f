import Foundation

/// Whether the tests run under emulation, as `Scripts/test --aarch64` announces.
public let isEmulated = ProcessInfo.processInfo.environment["BLOCKRUNTIME_EMULATED"] != nil
