import APNsSandbox
import FoundationEssentials
import Logging
import Testing

@Suite("A provider token", .timeLimit(.minutes(5)))
struct ProviderTokenVerifierTests {
    @Test(
        "is accepted for an hour from its date, and not before it",
        arguments: [
            (0.0, 200), (3599, 200), (3600, 200), (3601, 403), (-1, 403), (1e9, 403),
        ])
    func expires(age: Double, status: Int) async throws {
        try await withSandbox { fixture in
            let token = try await fixture.credentials.providerToken(
                issuedAt: fixture.clock.now.addingTimeInterval(-age))
            let response = try await fixture.connect().send(fixture.push(providerToken: token))
            #expect(response.status == status)
            #expect(response.reason == (status == 200 ? nil : "ExpiredProviderToken"))
        }
    }

    @Test("that names another team, an unknown key or another key is invalid")
    func isVerified() async throws {
        let other = SandboxCredentials.generate()
        try await withSandbox({ configuration in
            configuration.keys["OTHERTEAMS"] = other.publicKeyPEM
        }) { fixture in
            let connection = try await fixture.connect()
            let unknown = try await other.providerToken(issuedAt: fixture.clock.now)
            let tampered = fixture.providerToken.dropLast(6) + "AAAAAA"
            for token in [unknown, String(tampered), fixture.providerToken + ".x"] {
                let response = try await connection.send(fixture.push(providerToken: token))
                #expect(response.status == 403 && response.reason == "InvalidProviderToken")
            }
        }
    }

    @Test("of another team is invalid though its key is known")
    func checksTeam() async throws {
        let credentials = SandboxCredentials.generate()
        try await withSandbox({ $0.keys = [credentials.keyID: credentials.publicKeyPEM] }) { fixture in
            let token = try await credentials.providerToken(issuedAt: fixture.clock.now)
            let response = try await fixture.connect().send(fixture.push(providerToken: token))
            #expect(response.reason == "InvalidProviderToken")
        }
    }

    @Test(
        "may be replaced after 20 minutes, and the former one is no update",
        arguments: [(1199.0, 429), (1200, 200), (1201, 200)])
    func limitsUpdates(wait: Double, status: Int) async throws {
        try await withSandbox { fixture in
            let connection = try await fixture.connect()
            #expect(try await connection.send(fixture.push()).status == 200)
            fixture.clock.advance(by: wait)
            let next = try await fixture.credentials.providerToken(issuedAt: fixture.clock.now)
            let response = try await connection.send(fixture.push(providerToken: next))
            #expect(response.status == status)
            #expect(response.reason == (status == 200 ? nil : "TooManyProviderTokenUpdates"))
            #expect(try await connection.send(fixture.push()).status == 200)
        }
    }

    @Test("may change at once when the rule is off")
    func updateRuleCanBeOff() async throws {
        try await withSandbox({ $0.limitsProviderTokenUpdates = false }) { fixture in
            let connection = try await fixture.connect()
            #expect(try await connection.send(fixture.push()).status == 200)
            let next = try await fixture.credentials.providerToken(issuedAt: fixture.clock.now.addingTimeInterval(-9))
            #expect(try await connection.send(fixture.push(providerToken: next)).status == 200)
        }
    }

    @Test("signed with a second key needs a connection of its own")
    func tiesConnectionToKey() async throws {
        let second = SandboxCredentials.generate()
        try await withSandbox({ configuration in
            configuration.teamID = second.teamID
            configuration.keys = [second.keyID: second.publicKeyPEM]
        }) { fixture in
            let token = try await second.providerToken(issuedAt: fixture.clock.now)
            #expect(try await fixture.connect().send(fixture.push(providerToken: token)).status == 200)
        }
        let team = SandboxCredentials.generate()
        let keys = [team.keyID: team.privateKeyPEM, "SECONDKEY2": team.publicKeyPEM]
        try await withSandbox({ ($0.teamID, $0.keys) = (team.teamID, keys) }) { fixture in
            let first = try await team.providerToken(issuedAt: fixture.clock.now)
            let rotated = try await team.renamed(keyID: "SECONDKEY2").providerToken(issuedAt: fixture.clock.now)
            let connection = try await fixture.connect()
            #expect(try await connection.send(fixture.push(providerToken: first)).status == 200)
            let response = try await connection.send(fixture.push(providerToken: rotated))
            #expect(response.status == 403 && response.reason == "UnrelatedKeyIdInToken")
            #expect(try await fixture.connect().send(fixture.push(providerToken: rotated)).status == 200)
        }
    }

    @Test("that has expired spoils its connection when asked to")
    func expiryCanStick() async throws {
        try await withSandbox({ $0.expiredTokenSticksToConnection = true }) { fixture in
            let connection = try await fixture.connect()
            fixture.clock.advance(by: 3601)
            #expect(try await connection.send(fixture.push()).reason == "ExpiredProviderToken")
            let fresh = try await fixture.credentials.providerToken(issuedAt: fixture.clock.now)
            #expect(
                try await connection.send(fixture.push(providerToken: fresh)).reason == "ExpiredProviderToken")
            #expect(try await fixture.connect().send(fixture.push(providerToken: fresh)).status == 200)
        }
    }

    @Test("needs a P-256 key in PEM, and the error names the key")
    func refusesBadKeys() {
        let configuration = SandboxConfiguration(teamID: "T", keys: ["BROKEN0001": "no PEM"])
        #expect {
            _ = try APNsSandbox(configuration: configuration, logger: Logger(label: "test"))
        } throws: { error in
            (error as? SandboxError)?.message == "The key BROKEN0001 is not a P-256 key in PEM."
        }
    }
}
