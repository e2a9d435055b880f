import Invocations

/// Functions of the C library whose signatures are known.
package enum KnownFunctions {
  /// The type encodings by the names.
  ///
  /// What a pointer leads to is `v` unless it is a number, text or a pointer; the buffers in which
  /// functions store text are `^v`, for they hold none before the call. Functions with further
  /// arguments have those that programs pass.
  package static let signatures: [String: String] = {
    var signatures: [String: String] = [:]
    for line in table.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      signatures[words[0]] = words[1]
    }
    return signatures
  }()

  /// What is to be said of a signature that leaves out arguments of a known function.
  ///
  /// - Parameters:
  ///   - signature: The type encoding that was given.
  ///   - name: The function's name.
  /// - Returns: The words; nil if it leaves out none.
  static func warning(of signature: String, for name: String) -> String? {
    guard let known = signatures[name],
      let all = try? CallInterface.of(known).argumentCount,
      let listed = try? CallInterface.of(signature).argumentCount, listed < all
    else { return nil }
    return
      "the signature \(signature) lists \(listed) of the \(all) arguments of \(name), which may "
      + "not get the others; the one of the C library's function is \(known)"
  }

  /// Those for files, sockets, names, processes and memory.
  private static let table = """
    open ir*iI
    openat iir*iI
    creat ir*I
    close ii
    read qi^vQ
    write qir^vQ
    pread qi^vQq
    pwrite qir^vQq
    readv qir^vi
    writev qir^vi
    lseek qiqi
    fsync ii
    fdatasync ii
    ftruncate iiq
    truncate ir*q
    stat ir*^v
    lstat ir*^v
    fstat ii^v
    access ir*i
    unlink ir*
    rename ir*r*
    mkdir ir*I
    rmdir ir*
    chdir ir*
    getcwd *^vQ
    readlink qr*^vQ
    realpath *r*^v
    symlink ir*r*
    link ir*r*
    chmod ir*I
    fchmod iiI
    chown ir*II
    opendir ^vr*
    closedir i^v
    fopen ^vr*r*
    fclose i^v
    fread Q^vQQ^v
    fwrite Qr^vQQ^v
    fflush i^v
    mkstemp i*
    flock iii
    dup ii
    dup2 iii
    pipe i^i
    pipe2 i^ii
    fcntl iii^v
    ioctl iiQ^v
    sendfile qii^qQ
    open64 ir*iI
    openat64 iir*iI
    pread64 qi^vQq
    pwrite64 qir^vQq
    lseek64 qiqi
    stat64 ir*^v
    lstat64 ir*^v
    fstat64 ii^v
    fopen64 ^vr*r*
    ftruncate64 iiq

    socket iiii
    bind iir^vI
    listen iii
    accept ii^v^I
    accept4 ii^v^Ii
    connect iir^vI
    shutdown iii
    send qir^vQi
    recv qi^vQi
    sendto qir^vQir^vI
    recvfrom qi^vQi^v^I
    sendmsg qir^vi
    recvmsg qi^vi
    setsockopt iiiir^vI
    getsockopt iiii^v^I
    getsockname ii^v^I
    getpeername ii^v^I
    poll i^vQi
    select ii^v^v^v^v
    epoll_create1 ii
    epoll_ctl iiii^v
    epoll_wait ii^vii
    eventfd iIi

    getaddrinfo ir*r*r^v^^v
    freeaddrinfo v^v
    getnameinfo ir^vI^vI^vIi
    gethostbyname ^vr*
    gethostname i^vQ
    getpwnam ^vr*
    getpwuid ^vI
    getenv *r*
    setenv ir*r*i
    unsetenv ir*

    execve ir*r^*r^*
    execv ir*r^*
    execvp ir*r^*
    posix_spawn i^ir*r^vr^vr^*r^*
    posix_spawnp i^ir*r^vr^vr^*r^*
    waitpid ii^ii
    kill iii
    raise ii
    system ir*
    popen ^vr*r*
    pclose i^v
    sigaction iir^v^v
    nanosleep ir^v^v
    usleep iI
    sleep II
    dlopen ^vr*i
    pthread_create i^Qr^v^?^v
    pthread_join iQ^^v

    malloc ^vQ
    calloc ^vQQ
    realloc ^v^vQ
    posix_memalign i^^vQQ
    free v^v
    mmap ^v^vQiiiq
    munmap i^vQ
    mprotect i^vQi
    madvise i^vQi
    msync i^vQi
    mlock ir^vQ
    mmap64 ^v^vQiiiq
    """
}
