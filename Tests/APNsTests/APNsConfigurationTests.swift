import Testing

@testable import APNs

@Suite("APNs configuration")
struct APNsConfigurationTests {
    private func isValid(_ change: (inout APNsConfiguration) -> Void) -> Bool {
        var configuration = APNsConfiguration(endpoint: "https://localhost:443", topic: "app.kasia")
        change(&configuration)
        return (try? configuration.validate()) != nil
    }

    @Test(
        "takes https origins",
        arguments: [
            APNsHost.production.appleOrigin, APNsHost.development.appleOrigin, "https://localhost",
            "https://127.0.0.1:1", "https://127.0.0.1:65535", "https://[::1]:8443", "https://[::1]",
        ])
    func origins(text: String) {
        #expect(isValid { $0.developmentOrigin = text })
        #expect(isValid { $0.productionOrigin = text })
    }

    @Test(
        "refuses everything else as an origin",
        arguments: [
            "", "https://", "http://localhost", "localhost:443", "https://localhost/3", "https://user@localhost",
            "https://localhost:0", "https://localhost:65536", "https://localhost:x", "https://a b", "https://::1:443",
            "https://localhost\r\nx:1", "https://" + String(repeating: "a", count: 400),
        ])
    func notOrigins(text: String) {
        #expect(!isValid { $0.developmentOrigin = text })
        #expect(!isValid { $0.productionOrigin = text })
    }

    @Test("is for Apple's hosts unless it says otherwise; a server that stands in for both is one")
    func hosts() {
        let apple = APNsConfiguration(defaultHost: .development, topic: "t")
        #expect(APNsHost.allCases.map(apple.origin) == APNsHost.allCases.map(\.appleOrigin))
        #expect(apple.hasTwoServers)
        let one = APNsConfiguration(endpoint: "https://localhost", topic: "t")
        #expect(APNsHost.allCases.allSatisfy { one.origin(of: $0) == "https://localhost" })
        #expect(!one.hasTwoServers)
    }

    @Test("bounds connections and streams", arguments: [(0, false), (1, true), (64, true), (65, false)])
    func connections(count: Int, allowed: Bool) { #expect(isValid { $0.connections = count } == allowed) }

    @Test("bounds streams", arguments: [(0, false), (1, true), (10_000, true), (10_001, false)])
    func streams(count: Int, allowed: Bool) { #expect(isValid { $0.streams = count } == allowed) }

    @Test(
        "bounds timeouts",
        arguments: [
            (Duration.microseconds(999), false), (.milliseconds(1), true), (.seconds(3600), true),
            (.seconds(3601), false), (.seconds(-1), false),
        ])
    func timeouts(value: Duration, allowed: Bool) {
        #expect(isValid { $0.connectTimeout = value } == allowed)
        #expect(isValid { $0.firstByteTimeout = value } == allowed)
        #expect(isValid { $0.requestTimeout = value } == allowed)
    }

    @Test("lets the drain time be nothing, and no more than an hour")
    func drain() {
        #expect(isValid { $0.drainTimeout = .zero })
        #expect(isValid { $0.drainTimeout = .seconds(3600) })
        #expect(!isValid { $0.drainTimeout = .seconds(3601) })
        #expect(!isValid { $0.drainTimeout = .seconds(-1) })
    }

    @Test(
        "refuses a topic that would break a header line",
        arguments: ["", "a b", "a\r\nb", String(repeating: "t", count: 257)])
    func topic(text: String) { #expect(!isValid { $0.topic = text }) }

    @Test("names the field and what is allowed, in one sentence")
    func message() {
        let configuration = APNsConfiguration(endpoint: "https://localhost", topic: "t", connections: 65)
        #expect { try configuration.validate() } throws: { error in
            "\(error)" == "APNs connections must be 1 to 64, not 65"
        }
    }
}

@Suite("APNs requests")
struct APNsRequestTests {
    private func unusable(_ change: (inout APNsRequest) -> Void) -> String? {
        var request = APNsRequest(deviceToken: "ab", payload: [], id: "id", collapseID: "c", expiration: 0)
        change(&request)
        return request.unusableField
    }

    @Test("name the field that could break a path or a header line")
    func fields() {
        #expect(unusable { _ in } == nil)
        for bad in ["", "a/b", "a?b", "a\r\nb", "ä", String(repeating: "a", count: 513)] {
            #expect(unusable { $0.deviceToken = bad } == "deviceToken")
        }
        for bad in ["", "a b", "a\nb", "a\0b", String(repeating: "a", count: 513)] {
            #expect(unusable { $0.id = bad } == "id")
            #expect(unusable { $0.collapseID = bad } == "collapseID")
        }
        #expect(unusable { $0.deviceToken = String(repeating: "a", count: 512) } == nil)
        #expect(unusable { $0.collapseID = String(repeating: "a", count: 511) } == nil)
    }

    @Test("need no collapse id to ring, but all else")
    func voip() {
        var request = APNsRequest(voipToken: "ab", payload: [], id: "id")
        #expect(request.unusableField == nil)
        request.deviceToken = "a/b"
        #expect(request.unusableField == "deviceToken")
        request = APNsRequest(voipToken: "ab", payload: [], id: "")
        #expect(request.unusableField == "id")
    }
}
