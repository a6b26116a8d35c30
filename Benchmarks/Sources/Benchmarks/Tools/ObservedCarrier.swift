import Carriers
import ServiceLifecycle
import Store

/// Hands pushes on to a carrier, and looks at each outcome before the dispatcher has it.
struct ObservedCarrier: Carrier {
    let carrier: any Carrier
    let observe: @Sendable (OutgoingPush, SendOutcome) -> Void

    var name: CarrierName { carrier.name }

    var capacity: Int { carrier.capacity }

    func destination(of device: DeviceTarget) -> CarrierDestination? { carrier.destination(of: device) }

    func run() async throws { try await carrier.run() }

    func together(_ body: () -> Void) { carrier.together(body) }

    func send(_ push: OutgoingPush, ended: @escaping @Sendable (SendOutcome) -> Void) {
        carrier.send(push) { [observe] outcome in
            observe(push, outcome)
            ended(outcome)
        }
    }
}
