// The fuzzer's entry: compiled by Scripts/fuzz together with the sources of TypeEncodings.

import Glibc

/// Reads any bytes as an encoding and as a signature, and checks what must hold for all of them.
///
/// The corresponding C function is libFuzzer's `LLVMFuzzerTestOneInput`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let text = unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  let halves = text.split(separator: "\n", maxSplits: 1).map(String.init)
  for half in halves {
    checkEncoding(half)
    checkDeclaration(half)
  }
  let signatures = halves.compactMap(checkSignature)
  if signatures.count == 2 { checkDifferences(signatures[0], signatures[1]) }
  return 0
}

/// Printing what was parsed gives the text back, and parsing that gives the same encoding.
private func checkEncoding(_ text: String) {
  do {
    let encoding = try TypeEncoding(parsing: text)
    require(encoding.description == text, "\(text) prints as \(encoding)")
    if let layout = try? encoding.layout() {
      require(layout.size >= 0 && layout.alignment > 0, "\(text) has an impossible layout")
      require(layout.size % layout.alignment == 0, "\(text) has a size that is no stride")
    }
    require(encoding.isCompatible(with: encoding), "\(text) differs from itself")
  } catch {
    checkError(error, text)
  }
}

/// What a declaration is encoded as can be parsed, and has the layout that its parser computed.
private func checkDeclaration(_ text: String) {
  do {
    let encoding = try TypeEncoding(declaration: text)
    let again = try TypeEncoding(parsing: encoding.description)
    require(again == encoding, "\(text) is encoded as \(encoding)")
    if let written = encoding.declaration() {
      let read = try TypeEncoding(declaration: written)
      let sizes = (try? read.layout().size, try? encoding.layout().size)
      require(sizes.0 == sizes.1, "\(text) is written as \(written)")
    }
  } catch {
    checkError(error, text)
  }
}

private func checkSignature(_ text: String) -> MethodSignature? {
  do {
    let signature = try MethodSignature(parsing: text)
    require(signature.description == text, "\(text) prints as \(signature)")
    require(signature.differences(from: signature).isEmpty, "\(text) differs from itself")
    _ = try? signature.callLayouts()
    if let regenerated = try? signature.withFrameOffsets() {
      let again = try MethodSignature(parsing: regenerated.description)
      require(again == regenerated, "\(text) regenerated does not parse to itself")
    }
    return signature
  } catch {
    checkError(error, text)
    return nil
  }
}

private func checkDifferences(_ left: MethodSignature, _ right: MethodSignature) {
  let there = left.differences(from: right).count
  let back = right.differences(from: left).count
  require(there == back, "\(left) and \(right) differ \(there) and \(back) ways")
}

/// An error lies in the text and says something.
private func checkError(_ error: any Error, _ text: String) {
  guard let error = error as? TypeEncodingError else {
    return require(false, "\(text) threw \(error)")
  }
  require(!error.message.isEmpty, "\(text) is refused without a message")
  if let offset = error.offset {
    require((0...text.utf8.count).contains(offset), "\(text) is refused at \(offset)")
  }
}

private func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  guard !condition else { return }
  // A crash is how a fuzzer learns of a finding.
  print("FINDING: \(message())")
  fflush(nil)
  abort()
}
