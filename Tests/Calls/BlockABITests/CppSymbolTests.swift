import BlockABI
import Glibc
import XCTest

/// The names of C++ functions, which the C++ library that Swift needs demangles.
final class CppSymbolTests: XCTestCase {
  func testACppFunctionIsNamedByItsDeclaration() {
    XCTAssertEqual(CppSymbol.demangled("_ZNK4shop4Cart3addEi"), "shop::Cart::add(int) const")
    XCTAssertEqual(
      CppSymbol.demangled("_ZN4shop4makeIiEESt6vectorIT_SaIS2_EEPFviES2_"),
      "std::vector<int, std::allocator<int> > shop::make<int>(void (*)(int), int)")
  }

  func testABlockInACppFunctionIsNamedByItsNumberAndTheFunction() {
    XCTAssertEqual(
      CppSymbol.demangled("___ZNK4shop4Cart3addEi_block_invoke"),
      "block #1 in shop::Cart::add(int) const")
    XCTAssertEqual(
      CppSymbol.demangled("___ZNK4shop4Cart3addEi_block_invoke_12"),
      "block #12 in shop::Cart::add(int) const")
  }

  func testOtherSymbolsHaveNoDeclaration() {
    for symbol in [
      "main", "_Zbogus", "_Z", "___Z", "___Zbogus_block_invoke", "__main_block_invoke_2", "",
      "___ZN4shop4CartE_block_invoke_", "$s4main3addyyF",
    ] {
      XCTAssertNil(CppSymbol.demangled(symbol), symbol)
    }
  }

  func testTheSymbolOfAnAddressInACppLibraryIsDemangled() throws {
    // SAFETY: the address is only looked up.
    let address = try unsafe XCTUnwrap(dlsym(nil, "_ZSt9terminatev"))
    let symbol = try unsafe XCTUnwrap(CodeSymbol(at: address))
    XCTAssertEqual(symbol.mangledName, "_ZSt9terminatev")
    XCTAssertEqual(symbol.name, "std::terminate()")
  }
}
