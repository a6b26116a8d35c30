import APNs
import Kaspa
import Store
import StoreSupport
import Testing

@testable import KasiaPushIndexer

@Suite("Words for operators")
struct WordsTests {
    @Test(
        "bytes are written in the unit that people read",
        arguments: [
            (UInt64(0), "0 bytes"), (1_023, "1023 bytes"), (1_024, "1.0 KiB"), (1_025, "1.0 KiB"), (1_536, "1.5 KiB"),
            ((1 << 20) - 1, "1023.9 KiB"), (1 << 20, "1.0 MiB"), (5 << 30, "5.0 GiB"), (.max, "15.9 EiB"),
        ])
    func bytes(count: UInt64, text: String) {
        #expect(ByteCount(count).description == text)
    }

    @Test("every reason of Apple's that refuses credentials or token is named with what to do about it")
    func reasons() {
        for reason in APNsReason.allCases {
            let words: String
            if reason.statuses == [403] || [.badTopic, .missingTopic, .topicDisallowed].contains(reason) {
                words = APNsOutcome.configurationRefused(reason).words
                #expect(words.contains(reason.rawValue) || reason == .expiredProviderToken, "\(words)")
                #expect(APNsOutcome.otherHostRefused(reason).words.contains(reason.rawValue))
            } else {
                words = APNsOutcome.requestMistake(reason).words
            }
            #expect(words.hasSuffix(".") && !words.contains("\n"))
        }
        #expect(APNsOutcome.tokenInvalid(.badDeviceToken).words.contains("apns.environment"))
        #expect(APNsOutcome.otherHostRefused(nil).words.contains("Unknown"))
        #expect(APNsOutcome.deliveredByOtherHost(apnsID: "x", host: .production).words.contains("production host"))
        #expect(
            APNsOutcome.tokenGone(.unregistered, timestampMilliseconds: 1_767_225_600_000).words
                .contains("2026-01-01T00:00:00Z"))
    }

    @Test(
        "a device is named by a token or by four bytes or more of its name",
        arguments: [
            (3, false), (4, true), (5, true), (15, true), (16, true), (17, false), (31, false), (32, true), (33, true),
            (255, true), (256, true), (257, false),
        ])
    func names(bytes: Int, isName: Bool) {
        #expect((DeviceName(String(repeating: "ab", count: bytes)) != nil) == isName)
        #expect(DeviceName("xy") == nil && DeviceName("") == nil)
    }

    @Test("a device is found by either name; two of the same beginning are not guessed between")
    func finds() async throws {
        let directory = try TemporaryDirectory()
        let store = try Store(path: directory.path + "/store", network: .mainnet)
        let address = try #require(
            Address(prefix: .kaspa, version: .schnorr, payload: [UInt8](repeating: 1, count: 32)))
        let token = [UInt8](repeating: 0x77, count: 32)
        let device = DeviceRecord(
            token: token, platform: .macos, createdAt: 1_000, lastSeen: 2_000, watchedAddresses: [address])
        try await store.registry.upsertDevice(device.id) { _ in device }
        #expect(try await DeviceName.token(token).find(in: store) == device)
        let name = try #require(DeviceName(device.id.description))
        #expect(try await name.find(in: store) == device)
        await #expect(throws: StartError.self) {
            try await DeviceName.token([UInt8](repeating: 1, count: 32)).find(in: store)
        }
        await #expect(throws: StartError.self) { try await DeviceName.prefix([1, 2, 3, 4]).find(in: store) }
        let other = DeviceRecord(
            token: [UInt8](repeating: 0x78, count: 32), platform: .ios, createdAt: 1, lastSeen: 1,
            watchedAddresses: [address])
        try await store.registry.upsertDevice(other.id) { _ in other }
        await #expect(throws: StartError.self) { try await DeviceName.prefix([]).find(in: store) }
        let short = DeviceText(device: device, isFull: false)
        #expect(!short.line.contains(Hex.encode(token)) && short.line.contains("77777777…"))
        let lines = short.lines(state: DeviceState(), waiting: 3).joined(separator: "\n")
        #expect(!lines.contains(address.description) && lines.contains("3 waiting") && lines.contains("macos"))
        let full = DeviceText(device: device, isFull: true).lines(state: DeviceState(), waiting: 0).joined()
        #expect(full.contains(Hex.encode(token)) && full.contains(address.description))
    }

    /// A registration that has one of everything.
    private func everything() throws -> DeviceRecord {
        let all = try (1...4).map { number in
            try #require(
                Address(prefix: .kaspa, version: .schnorr, payload: [UInt8](repeating: UInt8(number), count: 32)))
        }
        var device = DeviceRecord(
            token: [UInt8](repeating: 0x77, count: 32), platform: .ios, createdAt: 1_000, lastSeen: 2_000,
            primaryAddress: all[0], walletAddress: all[0],
            deviceKey: DeviceKeyUse(keyID: [UInt8](repeating: 0x66, count: 32), counter: 9), watchedAddresses: [all[1]],
            aliases: [Array("tea".utf8), Array("\u{1b}[31m".utf8)],
            watchedGroupIDs: [[UInt8](repeating: 0x55, count: 32)], capabilities: ["group_v1"], payloadFormat: .kachat,
            watchOnlyAddresses: [all[2]])
        device.environment = .init(.production, isSaid: true)
        device.voipToken = [UInt8](repeating: 0x44, count: 32)
        device.broadcastChannels = ["kaspa"]
        device.hiddenBroadcastSenders = ["kaspa": [all[3]], "news": [all[3], all[2]]]
        return device
    }

    @Test("all that is registered is shown when it is asked for, and only then")
    func everythingShown() throws {
        let device = try everything()
        let (watched, funds) = (device.watchedAddresses[0], device.watchOnlyAddresses[0])
        let hidden = try #require(device.hiddenBroadcastSenders["kaspa"]?.first)
        let full = DeviceText(device: device, isFull: true).lines(state: DeviceState(), waiting: 0)
        for line in [
            "primary address: \(try #require(device.primaryAddress))", "wallet: \(try #require(device.walletAddress))",
            "device key: \(String(repeating: "66", count: 32)), counter 9", "payload format: kachat",
            "apns environment: production, as the app said", "token for ringing: yes",
            "watched addresses (1): \(watched)", "watch-only addresses (1): \(funds)",
            #"aliases (2): "tea" "\u001b[31m""#, "groups (1): \(String(repeating: "55", count: 32))",
            "capabilities (1): group_v1", #"broadcast channels (1): "kaspa""#,
            #"hidden broadcast senders in "kaspa" (1): \#(hidden)"#,
            #"hidden broadcast senders in "news" (2): \#(hidden) \#(funds)"#,
        ] { #expect(full.contains(line), "\(line)") }
        #expect(!full.joined().contains(Hex.encode(device.voipToken)))
        let short = DeviceText(device: device, isFull: false).lines(state: DeviceState(), waiting: 0)
        for line in [
            "device key: yes", "watched addresses (1): \(watched.short)", "watch-only addresses (1): \(funds.short)",
            "aliases: 2", "groups: 1", "hidden broadcast senders: 3",
        ] { #expect(short.contains(line), "\(line)") }
        for address in [watched, funds, hidden] { #expect(!short.joined().contains(address.description)) }
    }

    @Test("a registration with nothing in its lists says so, and one is no plural")
    func emptyLists() throws {
        var device = try everything()
        #expect(DeviceText(device: device, isFull: false).line.contains("watches 1 address, 1 group  wallet"))
        (device.watchedAddresses, device.watchedGroupIDs, device.aliases) = ([], [], [])
        device.hiddenBroadcastSenders = [:]
        let text = DeviceText(device: device, isFull: true)
        #expect(text.line.contains("watches 0 addresses, 0 groups"))
        let lines = text.lines(state: DeviceState(), waiting: 0)
        for line in ["watched addresses: none", "aliases: none", "groups: none", "hidden broadcast senders: 0"] {
            #expect(lines.contains(line), "\(line)")
        }
    }
}
