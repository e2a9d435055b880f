internal import TypeEncodings

/// Visits a C value in memory: its numbers, pointers and unions, and the structures and arrays that
/// contain them.
///
/// Reading values, rendering them as text, encoding them as bytes and retaining what they refer to
/// are visitors.
package protocol ValueVisitor {
  /// The result of visiting a value, or a part of one.
  associatedtype Part

  /// The number of elements of an array that are visited at most.
  var elementLimit: Int { get }

  /// Visits a value without parts: a number, a pointer, a union, or a value of unknown type.
  mutating func visit(leaf slot: ValueSlot) throws(InvocationError) -> Part

  /// Visits a bit-field.
  mutating func visit(bits: BitFieldSlot) throws(InvocationError) -> Part

  /// Visits a structure after its members.
  mutating func visit(structure slot: ValueSlot, _ members: [Part]) throws(InvocationError) -> Part

  /// Visits an array or a vector after its elements, of which `count` exist.
  mutating func visit(
    array slot: ValueSlot, _ elements: [Part], count: Int
  ) throws(InvocationError) -> Part

  /// Visits a structure or an array with a part of unknown type.
  mutating func visit(
    unknown slot: ValueSlot, _ error: InvocationError
  ) throws(InvocationError) -> Part
}

extension ValueVisitor {
  package var elementLimit: Int { .max }

  package mutating func visit(
    unknown slot: ValueSlot, _ error: InvocationError
  ) throws(InvocationError) -> Part {
    throw error
  }
}

extension ValueSlot {
  /// Visits the value in the slot.
  ///
  /// - Throws: What the visitor throws, by default `unsupportedType` for parts of unknown type.
  package func accept<Visitor: ValueVisitor>(
    _ visitor: inout Visitor
  ) throws(InvocationError) -> Visitor.Part {
    switch unsafe kind {
    case .struct: unsafe try acceptStructure(&visitor)
    case .vector: unsafe try acceptArray(&visitor)
    case .array where unsafe !isDecayedArray: unsafe try acceptArray(&visitor)
    default: unsafe try visitor.visit(leaf: self)
    }
  }

  private func acceptStructure<Visitor: ValueVisitor>(
    _ visitor: inout Visitor
  ) throws(InvocationError) -> Visitor.Part {
    let members: [Member]
    do throws(InvocationError) {
      unsafe members = unsafe try self.members()
    } catch {
      return unsafe try visitor.visit(unknown: self, error)
    }
    var parts: [Visitor.Part] = []
    for index in unsafe members.indices {
      switch unsafe members[index] {
      case .slot(let member): parts.append(unsafe try member.accept(&visitor))
      case .bits(let bits): parts.append(unsafe try visitor.visit(bits: bits))
      }
    }
    return unsafe try visitor.visit(structure: self, parts)
  }

  private func acceptArray<Visitor: ValueVisitor>(
    _ visitor: inout Visitor
  ) throws(InvocationError) -> Visitor.Part {
    let elements: [ValueSlot]
    do throws(InvocationError) {
      unsafe elements = unsafe try self.elements()
    } catch {
      return unsafe try visitor.visit(unknown: self, error)
    }
    var parts: [Visitor.Part] = []
    for index in unsafe elements.indices.prefix(visitor.elementLimit) {
      parts.append(unsafe try elements[index].accept(&visitor))
    }
    return unsafe try visitor.visit(array: self, parts, count: elements.count)
  }
}
