import Foundation
import Testing

@testable import KasiaPushIndexer

@Suite("The demo's devices")
struct DemoDeviceTests {
    private static let json =
        #"{"endpoint":"https://127.0.0.1:1/push/an-id","keys":{"auth":"a","p256dh":"b"}}"# + "\n"

    private static func registration(_ device: DemoDevice) throws -> [String: Any] {
        let body = try JSONEncoder().encode(try device.registration())
        return try #require(JSONSerialization.jsonObject(with: body) as? [String: Any])
    }

    @Test("register the same by every carrier, each by what names it")
    func registrations() throws {
        let subscription = try #require(DemoSubscription(json: Self.json))
        let devices = DemoDevice.adding(to: DemoDevice.cast(), of: "Bob", subscription)
        #expect(devices.count == DemoDevice.cast().count + DemoDevice.furtherDevices)
        let bodies = try devices.map(Self.registration)
        #expect(bodies.map { $0["platform"] as? String } == ["ios", "ios", "android", "web", "ios"])
        for body in bodies[1...3] {
            #expect(body["primary_address"] as? String == DemoCast.bob)
            #expect(body["watched_addresses"] as? [String] == [DemoCast.bob, DemoCast.alice])
        }
        #expect((bodies[2]["device_token"] as? String)?.wholeMatch(of: /[\w-]{22}:[\w-]{140}/) != nil)
        #expect(bodies[3]["device_token"] as? String == "https://127.0.0.1:1/push/an-id")
        let registered = bodies[3]["subscription"] as? [String: Any]
        #expect(registered?["endpoint"] as? String == "https://127.0.0.1:1/push/an-id")
        #expect(devices[3].token == "an-id")
        #expect(Set(devices.map(\.token)).count == devices.count)
    }

    @Test("have no subscription without an endpoint", arguments: ["", "{}", #"{"endpoint":1}"#, #"{"endpoint":"/"}"#])
    func noSubscription(json: String) {
        #expect(DemoSubscription(json: json) == nil)
    }
}
