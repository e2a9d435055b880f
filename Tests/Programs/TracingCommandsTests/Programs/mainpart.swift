actor A { var n = 0; func x() { n += 1 } }
@main struct M {
  static func main() async {
    let a = A(); await a.x(); try? await Task.sleep(for: .seconds(1)); await a.x(); print("end")
  }
}
