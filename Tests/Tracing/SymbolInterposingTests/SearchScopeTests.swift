import Foundation
import TestSupport
import XCTest

/// The objects in which a reference is searched.
final class SearchScopeTests: XCTestCase {
  func testObjectsOfAnUnknownLoaderAreSearchedAsThoseOfAKnownOne() throws {
    try XCTSkipIf(isSanitized, "the sanitizer's objects are not the program's")
    let folders = ["CSymbolInterposing", "CBlockRuntimeThreads"].map {
      PackageFiles.root.appendingPathComponent(PackageFiles.folder(of: $0)).path
    }
    let files = try CompiledFiles(self)
    let program = try files.compile(
      "program", ["-I\(folders[1])/include"],
      source: """
        #include "\(folders[0])/SearchScopes.c"
        #include <dlfcn.h>
        #include <stdio.h>
        #include <string.h>
        static bool visit(void *context, const struct link_map *object) {
          puts(object->l_name);
          return false;
        }
        int main(int count, char **words) {
          struct link_map *program = NULL;
          if (dlinfo(dlopen(NULL, RTLD_LAZY), RTLD_DI_LINKMAP, &program)) return 1;
          // An entry without private words is none that is known.
          static uintptr_t unknown[WORD_COUNT];
          memcpy(unknown, program, sizeof *program);
          if (scope_word((const void *)unknown) || !scope_word(program)) return 2;
          if (count > 1) program = (void *)unknown;
          cbr_visit_scope(program, program, NULL, visit);
          return 0;
        }
        """, libraries: ["\(folders[1])/Reentrancy.c"])
    let outputs = try [[], ["unknown"]].map { words in
      try CommandLineTool.run(words, executable: URL(fileURLWithPath: program))
    }
    XCTAssertEqual(outputs.map(\.status), [0, 0], outputs.map(\.errors).joined())
    XCTAssertTrue(outputs[0].output.contains("libc"), outputs[0].output)
    XCTAssertEqual(outputs[0].output, outputs[1].output)
  }
}
