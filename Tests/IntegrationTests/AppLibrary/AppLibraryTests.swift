import APNsSandbox
import Carriers
import Foundation
import Kaspa
import KasiaPushClient
import KasiaPushCore
import KasiaPushSecp256k1
import KaspadReplay
import ReplaySupport
import Testing

/// Apps that are built on the library, from the wish to be registered to the text on the screen.
///
/// What they are sent was sealed by other libraries (`Tests/Fixtures/vectors/messages.json`).
@Suite("The app library with the service")
struct AppLibraryTests {
    @Test(
        "What was written is what each phone and browser shows, and after a sign-out none is registered",
        .timeLimit(.minutes(10)))
    func shown() async throws {
        let story = try AppStory()
        try await World.with(
            story.recording, allCarriers: true,
            replay: { configuration in
                configuration.blockTimes = .moved
                let now = ReplayConfiguration.wallClock() + 60_000
                configuration.now = { now }
            }
        ) { world in
            let signingKey = SigningKey.make()
            let keyFile = world.folder.appendingPathComponent("signing.pem")
            try Data(signingKey.privateKeyPEM.utf8).write(to: keyFile)
            // The longest message must not fit into any carrier's push.
            let settings = ["PUSH_MAX_PAYLOAD_BYTES": "1000", "PUSH_SIGNING_KEY_PATH": keyFile.path]
            let indexer = try await IndexerProcess(environment: world.environment.merging(settings) { $1 })
            let url = try #require(URL(string: "http://127.0.0.1:\(indexer.rest.port)"))
            let client = try #require(IndexerClient(baseURL: url))
            let told = try await client.pushSigningKey()
            #expect(told.publicKey == signingKey.publicKey.text && told.keyID == signingKey.publicKey.keyID)
            let apps = try story.owners.flatMap { owner in
                try [PushPlatform.ios, .android, .web].map {
                    try AppOnDevice(owner: owner, platform: $0, client: client, sandbox: world.sandbox)
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for app in apps { group.addTask { await app.manager.run() } }
                try await Self.each(apps) { try await $0.signIn(watching: story.writers) }
                await world.replay.advanceToEnd()
                let expected = story.owners.reduce(0) { $0 + $1.texts.count } * 3
                let pushes = try await world.sandbox.waitForNotifications(count: expected)
                #expect(pushes.count == expected)
                for app in apps {
                    var shown: [String: String] = [:]
                    for push in pushes where push.token == app.nameInLog {
                        #expect(try app.isSigned(push, by: signingKey.publicKey.bytes))
                        let (transaction, text) = try await app.show(push)
                        #expect(shown.updateValue(text, forKey: transaction) == nil)
                    }
                    #expect(shown == app.owner.texts, "\(app.platform) of \(app.owner.address)")
                }
                try await Self.each(apps) { try await $0.signOut() }
                group.cancelAll()
            }
            #expect(await indexer.end(SIGTERM) == 0)
        }
    }

    private static func each(
        _ apps: [AppOnDevice], _ body: @escaping @Sendable (AppOnDevice) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for app in apps { group.addTask { try await body(app) } }
            try await group.waitForAll()
        }
    }
}
