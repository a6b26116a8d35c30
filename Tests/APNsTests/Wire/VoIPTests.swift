import APNs
import APNsSandbox
import Testing

@Suite("VoIP pushes over the wire", .timeLimit(.minutes(5)))
struct VoIPTests {
    private func ring(_ number: Int, payload: String = #"{"call_id":"1"}"#) -> APNsRequest {
        APNsRequest(voipToken: deviceToken(number), payload: Array(payload.utf8), id: makeRequest(number).id)
    }

    @Test("have the app's VoIP topic, expire at once, collapse nothing, and share a connection with alerts")
    func headers() async throws {
        try await WireFixture.run(client: { $0.connections = 1 }) { fixture in
            // Both ways of sending, and an alert before and after: a handle is used again.
            let requests = [makeRequest(1), ring(2), ring(3), makeRequest(4)]
            for request in requests { #expect(await fixture.send([request]).undelivered == [:]) }
            #expect(await fixture.client.send(ring(5)).isDelivered)
            let received = fixture.sandbox.notifications
            #expect(received.map(\.pushType) == ["alert", "voip", "voip", "alert", "voip"])
            for entry in received where entry.pushType == "voip" {
                #expect(entry.topic == WireFixture.topic + ".voip")
                #expect(entry.priority == 10)
                #expect(entry.expiration == 0)
                #expect(entry.collapseID == nil)
                #expect(entry.body == Array(#"{"call_id":"1"}"#.utf8))
            }
            #expect(received[1].id == requests[1].id && received[1].token == deviceToken(2))
            for (entry, request) in [(received[0], requests[0]), (received[3], requests[3])] {
                #expect(entry.topic == WireFixture.topic)
                #expect(entry.collapseID == request.collapseID && entry.expiration == request.expiration)
            }
            #expect(fixture.sandbox.counts.connections == 1)
        }
    }

    @Test("go to the host that they name", arguments: APNsHost.allCases)
    func host(_ host: APNsHost) async throws {
        try await WireFixture.run(sandbox: { $0.developmentPort = 0 }) { fixture in
            var request = ring(1)
            request.host = host
            #expect(await fixture.send([request, request]).undelivered == [:])
            #expect(fixture.sandbox.requests.allSatisfy { $0.environment?.rawValue == host.label })
        }
    }

    @Test("may have 1024 bytes more than an alert", arguments: [(5119, true), (5120, true), (5121, false)])
    func size(bytes: Int, isTaken: Bool) async throws {
        #expect(APNsRequest.Kind.voip.applePayloadLimit == 5120)
        try await WireFixture.run { fixture in
            let frame = #"{"payload":""}"#
            let text = String(repeating: "a", count: bytes - frame.utf8.count)
            let request = ring(1, payload: #"{"payload":"\#(text)"}"#)
            #expect(await fixture.client.send(request) == (isTaken ? .delivered(apnsID: request.id) : .payloadTooLarge))
        }
    }
}
