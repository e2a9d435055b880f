/// The types that a declaration may name without declaring them: those of the platform's headers.
enum KnownCTypes {
  /// The type of a name; nil if it is not known.
  static func type(named name: String) -> DeclaredType? {
    // The headers' own names, such as `__off_t`, are those of their types.
    let isInternal = name.hasPrefix("__") && name.hasSuffix("_t")
    if let primitive = primitives[name]
      ?? (isInternal ? primitives[String(name.dropFirst(2))] : nil)
    {
      return DeclaredType(.primitive(primitive))
    }
    if let (count, element) = vectors[name] {
      return DeclaredType(.encoded(TypeEncoding(.vector(count: count, element: element))))
    }
    switch name {
    case "id": return DeclaredType(.object)
    case "Class": return DeclaredType(.primitive(.classObject))
    case "SEL": return DeclaredType(.primitive(.selector))
    case "va_list", "__builtin_va_list", "__gnuc_va_list": return argumentList
    case "FILE": return DeclaredType(.record(DeclaredRecord(isUnion: false, tag: "_IO_FILE")))
    case "DIR": return DeclaredType(.record(DeclaredRecord(isUnion: false, tag: "__dirstream")))
    case "sighandler_t", "__sighandler_t":
      let function = DeclaredFunction(
        result: DeclaredType(.primitive(.void)), parameters: [DeclaredType(.primitive(.int32))],
        isVariadic: false)
      return DeclaredType(.pointer(DeclaredType(.function(function))))
    case _ where handles.contains(name):
      return DeclaredType(.pointer(DeclaredType(.primitive(.void))))
    case _ where opaque.contains(name):
      return DeclaredType(.record(DeclaredRecord(isUnion: false, tag: nil)))
    default: return nil
    }
  }

  /// The names among which an error suggests a similar one for an unknown name.
  static var names: [String] {
    primitives.keys.sorted() + ["id", "Class", "SEL", "va_list", "FILE"]
  }

  /// Pointers to what only the C library knows.
  private static let handles: Set<String> = ["iconv_t", "locale_t", "timer_t"]

  /// Structures and unions that programs pass by address.
  private static let opaque: Set<String> = [
    "Dl_info", "cpu_set_t", "fd_set", "fpos_t", "fpos64_t", "glob_t", "glob64_t", "mbstate_t",
    "posix_spawn_file_actions_t", "posix_spawnattr_t", "pthread_attr_t", "pthread_barrier_t",
    "pthread_cond_t", "pthread_condattr_t", "pthread_mutex_t", "pthread_mutexattr_t",
    "pthread_rwlock_t", "regex_t", "regmatch_t", "sem_t", "siginfo_t", "sigset_t", "stack_t",
  ]

  private static let primitives = common.merging(ofProcessor) { $1 }

  /// `char` where it stands alone.
  static var character: PrimitiveType {
    #if arch(arm64)
    .uint8
    #else
    .int8
    #endif
  }

  /// The types that are the same on x86-64 and AArch64 with glibc.
  private static let common: [String: PrimitiveType] = [
    "int8_t": .int8, "uint8_t": .uint8, "int16_t": .int16, "uint16_t": .uint16,
    "int32_t": .int32, "uint32_t": .uint32, "int64_t": .int64, "uint64_t": .uint64,
    "int_least8_t": .int8, "uint_least8_t": .uint8, "int_least16_t": .int16,
    "uint_least16_t": .uint16, "int_least32_t": .int32, "uint_least32_t": .uint32,
    "int_least64_t": .int64, "uint_least64_t": .uint64, "int_fast8_t": .int8,
    "uint_fast8_t": .uint8, "int_fast16_t": .int64, "uint_fast16_t": .uint64,
    "int_fast32_t": .int64, "uint_fast32_t": .uint64, "int_fast64_t": .int64,
    "uint_fast64_t": .uint64, "intmax_t": .int64, "uintmax_t": .uint64, "intptr_t": .int64,
    "uintptr_t": .uint64, "size_t": .uint64, "ssize_t": .int64, "ptrdiff_t": .int64,
    "char16_t": .uint16, "char32_t": .uint32, "wint_t": .uint32,
    "off_t": .int64, "off64_t": .int64, "loff_t": .int64, "time_t": .int64, "clock_t": .int64,
    "suseconds_t": .int64, "useconds_t": .uint32, "clockid_t": .int32,
    "pid_t": .int32, "uid_t": .uint32, "gid_t": .uint32, "id_t": .uint32, "mode_t": .uint32,
    "dev_t": .uint64, "ino_t": .uint64, "ino64_t": .uint64, "key_t": .int32,
    "blkcnt_t": .int64, "fsblkcnt_t": .uint64, "fsfilcnt_t": .uint64, "rlim_t": .uint64,
    "socklen_t": .uint32, "sa_family_t": .uint16, "in_port_t": .uint16, "in_addr_t": .uint32,
    "nfds_t": .uint64, "pthread_t": .uint64, "pthread_key_t": .uint32, "pthread_once_t": .int32,
    "sig_atomic_t": .int32, "int128_t": .int128,
    "uint128_t": .uint128, "u_int8_t": .uint8, "u_int16_t": .uint16, "u_int32_t": .uint32,
    "u_int64_t": .uint64, "speed_t": .uint32, "tcflag_t": .uint32, "cc_t": .uint8,
    "nl_item": .int32, "eventfd_t": .uint64, "u_char": .uint8, "u_short": .uint16, "u_int": .uint32,
    "u_long": .uint64, "uint": .uint32, "ushort": .uint16, "ulong": .uint64, "caddr_t": .cString,
  ]

  /// The types that differ between the two processors.
  private static let ofProcessor: [String: PrimitiveType] = {
    #if arch(arm64)
    ["wchar_t": .uint32, "nlink_t": .uint32, "blksize_t": .int32]
    #else
    ["wchar_t": .int32, "nlink_t": .uint64, "blksize_t": .int64]
    #endif
  }()

  /// The vectors of the headers for the processor.
  ///
  /// They are not stored as encodings, whose addresses have tags that a search for leaks cannot
  /// follow.
  private static let vectors: [String: (count: Int, element: PrimitiveType)] = {
    #if arch(arm64)
    var vectors: [String: (count: Int, element: PrimitiveType)] = ["float64x2_t": (2, .double)]
    let elements: [(String, Int, PrimitiveType)] = [
      ("float32", 4, .float), ("int8", 1, .int8), ("uint8", 1, .uint8), ("int16", 2, .int16),
      ("uint16", 2, .uint16), ("int32", 4, .int32), ("uint32", 4, .uint32), ("int64", 8, .int64),
      ("uint64", 8, .uint64),
    ]
    for (name, size, element) in elements {
      for count in [8 / size, 16 / size] where count > 1 {
        vectors["\(name)x\(count)_t"] = (count, element)
      }
    }
    return vectors
    #else
    [
      "__m128": (4, .float), "__m128d": (2, .double), "__m128i": (2, .int64),
      "__m256": (8, .float), "__m256d": (4, .double), "__m256i": (4, .int64),
      "__m512": (16, .float), "__m512d": (8, .double), "__m512i": (8, .int64),
    ]
    #endif
  }()

  /// The argument list of a variadic function.
  ///
  /// Specification: System V ABI, AMD64 supplement, 3.5.7; AAPCS64, appendix B.
  private static var argumentList: DeclaredType {
    let pointer = TypeEncoding(.pointer(TypeEncoding(.primitive(.void))))
    #if arch(arm64)
    let offset = TypeEncoding(.primitive(.int32))
    return record("__va_list", [pointer, pointer, pointer, offset, offset])
    #else
    let offset = TypeEncoding(.primitive(.uint32))
    return DeclaredType(
      .array(count: 1, record("__va_list_tag", [offset, offset, pointer, pointer])))
    #endif
  }

  private static func record(_ tag: String, _ members: [TypeEncoding]) -> DeclaredType {
    let fields = members.map { FieldEncoding($0) }
    return DeclaredType(
      .encoded(TypeEncoding(.structure(RecordEncoding(tag: tag, fields: fields)))))
  }
}

extension TypeEncoding {
  /// Whether the type is that of a `va_list` argument: the address of its record, or the record.
  package var isArgumentList: Bool {
    switch type {
    case .pointer(let pointee): pointee.isArgumentList
    case .structure(let record): record.tag == "__va_list_tag" || record.tag == "__va_list"
    default: false
    }
  }
}
