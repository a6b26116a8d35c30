import Store

/// One value for each carrier.
struct PerCarrier<Value> {
    private var values: [Value]

    /// Each value is made from the carrier's name.
    init(_ make: (CarrierName) -> Value) {
        values = CarrierName.allCases.map(make)
    }

    subscript(_ name: CarrierName) -> Value {
        get { values[Int(name.rawValue)] }
        set { values[Int(name.rawValue)] = newValue }
    }
}

extension PerCarrier: Sendable where Value: Sendable {}
