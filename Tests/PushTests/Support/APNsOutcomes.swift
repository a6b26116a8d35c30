import APNs
import Carriers
import Store

@testable import Push

/// Tests speak of Apple's answers; the dispatcher hears what follows from them.
extension Disposition {
    init(
        _ outcome: APNsOutcome, omitsPayload: Bool, attempts: UInt32 = 0, isFromElsewhere: Bool = false,
        present: UInt64
    ) {
        self.init(
            SendOutcome(outcome), omitsPayload: omitsPayload, attempts: attempts, isFromElsewhere: isFromElsewhere,
            sentAt: 0, present: present)
    }
}

extension CarrierPause {
    static func refused(_ reason: String) -> CarrierPause {
        CarrierPause(.refused, "Apple refuses the credentials or the topic: \(reason)")
    }

    static func noProviderToken(_ cause: String) -> CarrierPause {
        CarrierPause(.refused, "no provider token can be made: \(cause)")
    }

    static let expired = CarrierPause(
        .passing, "Apple calls the provider token expired: this machine's clock may be wrong")
    static let throttled = CarrierPause(.passing, "Apple throttles the provider token")
}

/// Deliveries of APNs alone, some of them for the host that is not the operator's own.
extension TakenDeliveries {
    static let elsewhere = CarrierDestination(name: "elsewhere", share: 4)

    init(capacity: Int) { self.init(capacities: PerCarrier { _ in capacity }) }

    var elsewhereCount: Int { sendingCount(to: TakenDeliveries.elsewhere) }

    var lanesWithRoom: [ScheduleKey.Lane] { lanesWithRoom(of: .apns) }

    func room(of allowed: Int) -> Int { room(of: allowed, for: .apns) }

    mutating func begin(_ key: ScheduleKey, isElsewhere: Bool) -> Bool {
        begin(key, to: isElsewhere ? TakenDeliveries.elsewhere : nil)
    }
}

extension TakenDeliveries.Phase {
    static func sending(isElsewhere: Bool) -> Self { .sending(to: isElsewhere ? TakenDeliveries.elsewhere : nil) }
}
