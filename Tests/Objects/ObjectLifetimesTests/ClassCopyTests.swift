import Glibc
import ObjectLifetimes
import TestSupport
import XCTest

/// Objects whose class is not what the compiler made it.
final class ClassCopyTests: XCTestCase {
  func testAnObjectOfACopyOfAWatchedClassRunsItsHooks() throws {
    let events = Recorder<String>()
    try onDeinit(of: Copied(events)) { events.record("original") }
    try {
      let object = Copied(events)
      let copy = try unsafe CopiedClass(of: object)
      unsafe copy.become(theClassOf: object)
      try onDeinit(of: object) { events.record("copy") }
      // Without a hook, of a class that nobody watched by its own name.
      let other = Copied(events)
      try unsafe CopiedClass(of: other).become(theClassOf: other)
    }()
    XCTAssertEqual(events.entries.sorted(), ["copy", "deinit", "deinit", "deinit", "original"])
  }

  func testAClassInReadOnlyMemoryIsRefused() throws {
    let events = Recorder<String>()
    try {
      let object = Copied(events)
      let copy = try unsafe CopiedClass(of: object)
      unsafe copy.become(theClassOf: object)
      unsafe copy.protect(PROT_READ)
      expectError(.protectedMemory) { _ = try onDeinit(of: object) {} }
      XCTAssertThrowsError(try AssociationKey<Int>().set(1, on: object))
      unsafe copy.protect(PROT_READ | PROT_WRITE)
      try onDeinit(of: object) { events.record("after") }
    }()
    XCTAssertEqual(events.entries, ["deinit", "after"])
  }
}

private final class Copied {
  private let events: Recorder<String>

  init(_ events: Recorder<String>) { self.events = events }

  deinit { events.record("deinit") }
}

/// The class of an object, once more, on a page of its own, as its subclass.
@unsafe
private struct CopiedClass {
  private let page: UnsafeMutableRawPointer
  private let metadata: UnsafeMutableRawPointer

  init(of object: AnyObject) throws {
    // SAFETY: the runtime's layout of a class where there is no Objective-C.
    let original = unsafe unsafeBitCast(type(of: object) as AnyClass, to: UnsafeRawPointer.self)
    let size = unsafe Int(original.load(fromByteOffset: 32, as: UInt32.self))
    let start = unsafe Int(original.load(fromByteOffset: 36, as: UInt32.self))
    let flags = MAP_PRIVATE | MAP_ANONYMOUS
    let mapped = unsafe mmap(nil, 4096, PROT_READ | PROT_WRITE, flags, -1, 0)
    unsafe page = try XCTUnwrap(mapped)
    XCTAssertLessThanOrEqual(size, 4096)
    unsafe page.copyMemory(from: original - start, byteCount: size)
    unsafe metadata = page + start
    unsafe metadata.storeBytes(of: original, toByteOffset: 8, as: UnsafeRawPointer.self)
  }

  func become(theClassOf object: AnyObject) {
    let address = unsafe Unmanaged.passUnretained(object).toOpaque()
    unsafe address.storeBytes(of: metadata, as: UnsafeMutableRawPointer.self)
  }

  func protect(_ protection: Int32) {
    XCTAssertEqual(unsafe mprotect(page, 4096, protection), 0)
  }
}
