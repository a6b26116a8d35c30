import Testing

@testable import APNsSandbox

@Suite("A path's carrier")
struct CarrierRoutesTests {
    @Test(
        "follows from the path and from what is played",
        arguments: [
            ("POST", "/3/device/ab", SandboxCarrier.apns), ("POST", "/", .apns), ("GET", "/control/state", .apns),
            ("POST", "/token", .googleToken), ("POST", "/token?x=1", .googleToken), ("POST", "/token/", .apns),
            ("POST", "/v1/projects/p/messages:send", .fcm), ("POST", "/v1/projects", .apns),
            ("POST", "/push/ab", .webPush), ("DELETE", "/push/ab", .webPush), ("GET", "/push/ab", .unifiedPush),
            ("POST", "/push", .apns),
        ])
    func routes(method: String, path: String, carrier: SandboxCarrier) {
        #expect(CarrierRoutes(google: true, webPush: true).carrier(of: method, path) == carrier)
        #expect(CarrierRoutes().carrier(of: method, path) == .apns)
        let isGoogle = carrier == .fcm || carrier == .googleToken
        #expect(CarrierRoutes(google: true).carrier(of: method, path) == (isGoogle ? carrier : .apns))
    }

    @Test("is what a rule may name; without, the rule hits every carrier's notifications")
    func rules() {
        for carrier in SandboxCarrier.allCases {
            var book = RuleBook(seed: 1)
            book.add(SandboxRule(.silence, name: "all"))
            #expect((book.strike("aa", of: carrier) != nil) == carrier.carriesNotifications)
            book.removeAll()
            book.add(SandboxRule(.silence, name: "one", carrier: carrier, times: 1))
            for other in SandboxCarrier.allCases where other != carrier {
                #expect(book.strike("aa", of: other) == nil)
            }
            #expect(book.strike("aa", of: carrier)?.name == "one")
        }
    }
}
