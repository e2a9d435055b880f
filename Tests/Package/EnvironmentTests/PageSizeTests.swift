import Foundation
import TestSupport
import XCTest

/// Pages of other sizes than this kernel's.
final class PageSizeTests: XCTestCase {
  /// A library that is loaded first.
  ///
  /// It says that pages are larger, and refuses and rounds as a kernel with
  /// such pages would. What it maps begins at such a page.
  private static let pages = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <errno.h>
    #include <stdint.h>
    #include <stdio.h>
    #include <string.h>
    #include <sys/mman.h>
    #include <unistd.h>
    static const size_t page = SIZE;
    static int refused;
    static size_t rounded(size_t size) { return (size + page - 1) & ~(page - 1); }
    static int refuse(void) { refused++; errno = EINVAL; return -1; }
    #define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
    // Other libraries were compiled for the kernel's pages.
    #define OTHERS(call) if (!is_program(__builtin_return_address(0))) return call
    static int is_program(void *caller) {
      Dl_info info;
      return dladdr(caller, &info) && strstr(info.dli_fname, "EnvironmentProbe") != NULL;
    }
    int getpagesize(void) {
      OTHERS(NEXT(getpagesize)());
      return (int)page;
    }
    long sysconf(int name) {
      OTHERS(NEXT(sysconf)(name));
      return name == _SC_PAGESIZE ? (long)page : NEXT(sysconf)(name);
    }
    void *mmap(void *place, size_t size, int access, int flags, int file, off_t offset) {
      OTHERS(NEXT(mmap)(place, size, access, flags, file, offset));
      if (offset % page || ((flags & MAP_FIXED) && (uintptr_t)place % page)) {
        refuse();
        return MAP_FAILED;
      }
      if (flags & MAP_FIXED) return NEXT(mmap)(place, size, access, flags, file, offset);
      char *all = NEXT(mmap)(NULL, size + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (all == MAP_FAILED) return MAP_FAILED;
      char *aligned = (char *)rounded((uintptr_t)all);
      return NEXT(mmap)(aligned, size, access, flags | MAP_FIXED, file, offset);
    }
    int munmap(void *place, size_t size) {
      OTHERS(NEXT(munmap)(place, size));
      return (uintptr_t)place % page ? refuse() : NEXT(munmap)(place, size);
    }
    int mprotect(void *place, size_t size, int access) {
      OTHERS(NEXT(mprotect)(place, size, access));
      if ((uintptr_t)place % page) return refuse();
      // All of its pages, of which some may lie behind the end of a mapping.
      int result = NEXT(mprotect)(place, size, access);
      for (size_t offset = 0; offset < rounded(size); offset += 4096)
        NEXT(mprotect)((char *)place + offset, 4096, access);
      return result == 0 || errno == ENOMEM ? 0 : result;
    }
    __attribute__((destructor)) static void tell(void) {
      printf("refused: %d\\n", refused);
      fflush(stdout);
    }
    """

  #if arch(arm64)
  private static let imports = "hook an import on a protected page: works\n"
  #else
  private static let imports = ""
  #endif

  private static let library = """
    #include <stdlib.h>
    static long (^const global)(long) = ^(long x) { return x + 1; };
    const void *pages_block(void) { return (const void *)global; }
    long pages_user(long x) { return labs(x); }
    """

  func testNothingAssumesTheSizeOfAPage() throws {
    try XCTSkipIf(isSanitized, "sanitizers map memory themselves")
    for size in [4096, 16384, 65536] where size >= sysconf(Int32(_SC_PAGESIZE)) {
      let files = try CompiledFiles(self)
      let pages = try files.compile(
        "libpages.so", ["-shared", "-fPIC", "-DSIZE=\(size)"], source: Self.pages)
      let links = "-Wl,-z,max-page-size=\(size),-z,common-page-size=\(size),-z,now,-z,relro"
      let library = try files.compile(
        "libblock.so", ["-shared", "-fPIC", "-fblocks", "-fno-builtin", "-fuse-ld=lld", links],
        source: Self.library)
      let process = Process()
      process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        .resolvingSymlinksInPath().deletingLastPathComponent()
        .appendingPathComponent("EnvironmentProbe")
      process.arguments = ["pages", library]
      process.environment = ProcessInfo.processInfo.environment.merging(["LD_PRELOAD": pages]) {
        $1
      }
      let pipe = Pipe()
      process.standardOutput = pipe
      try process.run()
      let output = pipe.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      XCTAssertEqual(
        String(decoding: output, as: UTF8.self),
        """
        make five thousand function pointers: works
        hook a heap block: works
        hook a global block on a protected page: works
        \(Self.imports)trace to another process: works
        refused: 0

        """, "pages of \(size) bytes")
      XCTAssertEqual(process.terminationReason, .exit)
    }
  }
}
