private import CLoadedImages.LoadedClasses

extension ClassMetadata {
  /// The class, all loaded classes that inherit from it, and generic classes between them.
  ///
  /// Generic classes without a non-generic subclass are missing, as no list contains them.
  package static func heirs(of ancestor: ClassMetadata) -> [ClassMetadata] {
    guard let root = ancestor.descriptor else { return [ancestor] }
    var heirs: Set<ClassMetadata> = [ancestor]
    var ordered = [ancestor]
    for descriptor in ClassDescriptor.allLoaded()
    where !descriptor.isGeneric && descriptor.lineage.contains(root) {
      let lineage = ClassMetadata(descriptor).map { Array($0.lineage) } ?? []
      guard let end = lineage.firstIndex(of: ancestor) else { continue }
      for heir in lineage[..<end] where heirs.insert(heir).inserted { ordered.append(heir) }
    }
    return ordered
  }

  /// The loaded classes that are not generic and can be cast to a metatype.
  ///
  /// - Parameters:
  ///   - type: The metatype, such as `Page.Type` or `any Plugin.Type`.
  ///   - known: Classes to leave out; all classes that are looked at are added.
  /// - Returns: The classes.
  package static func loaded<Classes>(
    as type: Classes.Type, besides known: inout Set<ClassDescriptor>
  ) -> [Classes] {
    ClassDescriptor.allLoaded().filter { known.insert($0).inserted }
      .compactMap(ClassMetadata.init).filter { !$0.isForeign }.compactMap { $0.type as? Classes }
  }
}

extension ClassDescriptor {
  /// The classes of all loaded images.
  package static func allLoaded() -> [ClassDescriptor] {
    var lists: [UnsafeRawBufferPointer] = unsafe []
    // SAFETY: the context is `lists`, which lives during the call; the lists of types are constants
    // of images that are never unloaded.
    unsafe withUnsafeMutablePointer(to: &lists) { lists in
      unsafe swift_enumerateAllMetadataSections(
        { sections, context in
          let types = unsafe sections.pointee.types
          let lists = unsafe context.assumingMemoryBound(to: [UnsafeRawBufferPointer].self)
          unsafe lists.pointee.append(
            UnsafeRawBufferPointer(
              start: UnsafeRawPointer(bitPattern: types.start), count: types.length))
          return true
        }, lists)
    }
    var found: [ClassDescriptor] = []
    for index in unsafe lists.indices {
      let list = unsafe lists[index]
      guard let start = list.baseAddress else { continue }
      found += stride(from: 0, to: list.count & ~3, by: 4).compactMap { offset in
        ClassDescriptor(listedAt: unsafe RuntimeAddress(start + offset))
      }
    }
    return found
  }

  /// A class in a list of types, whose two lowest bits give the kind of reference; nil for other
  /// types.
  private init?(listedAt place: RuntimeAddress) {
    let reference = Int(place.load(Int32.self, at: 0))
    let referent = place + (reference & ~3)
    switch reference & 3 {
    case 0: self.init(referent)
    case 1:
      guard let address = referent.address(at: 0) else { return nil }
      self.init(address)
    default: return nil
    }
  }
}
