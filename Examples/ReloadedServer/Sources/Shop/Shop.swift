/// A shop with a cart for each connection.
public struct Shop: Sendable {
  private var cart: [String] = []

  /// Opens a shop with an empty cart.
  public init() {}

  /// Answers a request.
  public mutating func answer(_ request: String) -> String {
    cart.append(request)
    return "\(cart.count) in the cart, \(price(of: cart)) €"
  }

  private func price(of cart: [String]) -> Int { cart.map(\.count).reduce(0, +) }
}
