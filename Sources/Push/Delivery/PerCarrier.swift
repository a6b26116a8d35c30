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
        // In place: a setter would copy what the value holds, at each answer.
        _modify { yield &values[Int(name.rawValue)] }
    }
}

extension PerCarrier: Sendable where Value: Sendable {}
