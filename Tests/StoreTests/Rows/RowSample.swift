import KasiaProtocol
import Kaspa
import SampleOperations
import Testing

@testable import Store

/// One row of one kind: its bytes, written by hand, and the code that reads them and writes them again.
struct RowSample: Sendable, CustomTestStringConvertible {
    let name: String
    let hex: String
    let encoded: [UInt8]
    /// Decodes and encodes again.
    let roundTrip: @Sendable ([UInt8]) throws(StoreError) -> [UInt8]

    var testDescription: String { name }

    private static func cc(_ byte: String, _ count: Int = 32) -> String { String(repeating: byte, count: count) }

    // Addresses as they stand in a row: a tag, a 32-bit length, the version and the payload.
    private static let schnorr = address(.schnorr, 0xaa)
    private static let ecdsa = address(.ecdsa, 0xbb)
    private static let schnorrRow = "01" + "00000021" + "00" + cc("aa")
    private static let ecdsaRow = "01" + "00000022" + "01" + cc("bb", 33)

    private static func address(_ version: Address.Version, _ byte: UInt8) -> Address? {
        Address(prefix: .kaspa, version: version, payload: [UInt8](repeating: byte, count: version.payloadByteCount))
    }

    private static let acceptance = OperationRecord.Acceptance(blockHash: Sample.hash(0x22), daaScore: 5, blueScore: 6)
    private static let event = PushEvent(
        number: 9, transactionID: Sample.hash(0x11), kind: .payment, sender: schnorr, receiver: ecdsa, amount: 3,
        blockTime: 4, acceptance: acceptance, queuedAt: 7)

    static let all: [RowSample] =
        operations + events + deliveries + logEntries + devices + states + unresolved + others + funds
        + corrections

    static let operations: [RowSample] =
        [
            operation(
                "pending operation", sender: nil, receiver: nil, acceptance: nil, payload: [],
                hex: "03" + "00" + "00" + "0000000000000003" + cc("33") + "0000000000000004" + "00" + "00000000"
                    + "00000000" + "00" + "00"),
            operation(
                "accepted operation", sender: schnorr, receiver: ecdsa, acceptance: acceptance, payload: [1, 2, 3],
                hex: "03" + schnorrRow + ecdsaRow + "0000000000000003" + cc("33") + "0000000000000004" + "01" + cc("22")
                    + "0000000000000005" + "0000000000000006" + "00000003" + "010203" + "00000000" + "00" + "00"),
        ] + fees + kinds

    /// How the row of an operation without parties goes on behind its block's time, when its fee is known.
    private static let fees: [RowSample] = {
        let scores = cc("22") + "0000000000000005" + "0000000000000006"
        let states: [(String, OperationRecord.Acceptance?, UInt64?, Bool, String)] = [
            ("accepted", acceptance, 7, false, "83" + scores + "0000000000000007"),
            ("accepted without a time", acceptance, nil, false, "81" + scores), ("reverted", nil, nil, true, "82"),
            ("pending", nil, nil, false, "80"),
        ]
        return states.map { name, acceptance, time, isReverted, state in
            var record = OperationRecord(
                transactionID: Sample.hash(0x11), kind: .payment, sender: nil, receiver: nil, amount: 3,
                blockHash: Sample.hash(0x33), blockTime: 4, acceptance: acceptance, acceptedAt: time, payload: [])
            (record.isReverted, record.fee) = (isReverted, 9)
            let start = "02" + "00" + "00" + "0000000000000003" + cc("33") + "0000000000000004"
            let hex = start + state + "0000000000000009" + "00000000" + "00000000"
            return RowSample(name: "\(name) operation with its fee", hex: hex, encoded: record.encoded) {
                bytes throws(StoreError) in
                try OperationRecord(transactionID: Sample.hash(0x11), encoded: bytes, network: .mainnet).encoded
            }
        }
    }()

    private static let key = String(repeating: "ab", count: 32)

    /// One of each kind, with all that its payload can say.
    private static let kinds: [RowSample] = [
        parsed("kchat:1:hs:x", "0000000b"), parsed("kchat:x", "00000006"), parsed("kchat:1:pay:", "0000000c"),
        parsed("kchat:1:comm:ab:x", "00000010" + "01" + "0000000d" + "0000000f" + "00"),
        parsed(
            "kchat:1:dm:\(key.prefix(32)):ab:x",
            "0000002f" + "01" + "0000002c" + "0000002e" + "01" + String(key.prefix(32))),
        parsed("kchat:1:self_stash:ab:x", "00000016" + "01" + "00000013" + "00000015"),
        parsed("kchat:1:self_stash:x", "00000013" + "00"),
        parsed(
            "kchat:1:gcomm:\(key):7:\(key):\(key):\(key.prefix(48)):ff:\(key)\(key)",
            "0000000e" + "01" + key + "0000000000000007" + key + key + String(key.prefix(48))),
        parsed("kchat:1:gctl:\(key):ff", "0000004e" + "01" + key), parsed("kchat:1:gctl:ff", "0000000d" + "00"),
        parsed(
            "kchat:1:bcast:Ab:x",
            "00000011" + "01" + "0000000e" + "00000010" + "01" + "00000002" + "6162" + "01" + "00"),
        parsed(
            #"kchat:1:bcast: :{"type":"edit"}"#, "00000010" + "01" + "0000000e" + "0000000f" + "00" + "01" + "04"),
    ]

    /// A pending operation of this payload, and the hex of what stands behind the payload.
    private static func parsed(_ text: String, _ hex: String) -> RowSample {
        guard let parsed = OperationPayload(parsing: Array(text.utf8)).parsed else {
            preconditionFailure("\(text) is no operation")
        }
        let record = OperationRecord(
            transactionID: Sample.hash(0x11), sender: nil, receiver: nil, amount: 3, blockHash: Sample.hash(0x33),
            blockTime: 4, acceptance: nil, payload: Array(text.utf8), parsed: parsed)
        let start =
            Hex.encode([parsed.kind.rawValue]) + "00" + "00" + "0000000000000003" + cc("33") + "0000000000000004" + "00"
        let payload = Hex.encode(withUnsafeBytes(of: UInt32(text.utf8.count).bigEndian, Array.init) + record.payload)
        return RowSample(name: "operation \(text)", hex: start + payload + hex, encoded: record.encoded) {
            bytes throws(StoreError) in
            try OperationRecord(transactionID: Sample.hash(0x11), encoded: bytes, network: .mainnet).encoded
        }
    }

    private static func operation(
        _ name: String, sender: Address?, receiver: Address?, acceptance: OperationRecord.Acceptance?,
        payload: [UInt8], hex: String
    ) -> RowSample {
        let record = OperationRecord(
            transactionID: Sample.hash(0x11), kind: .contextualMessage, sender: sender, receiver: receiver, amount: 3,
            blockHash: Sample.hash(0x33), blockTime: 4, acceptance: acceptance, payload: payload)
        return RowSample(name: name, hex: hex, encoded: record.encoded) { bytes throws(StoreError) in
            try OperationRecord(transactionID: Sample.hash(0x11), encoded: bytes, network: .mainnet).encoded
        }
    }

    private static let eventStart =
        cc("11") + "02" + schnorrRow + ecdsaRow + "0000000000000003" + "0000000000000004" + cc("22")
        + "0000000000000005" + "0000000000000006" + "0000000000000007"

    private static let events: [RowSample] = {
        var walked = event
        walked.progress = FanOutProgress(list: 1, walked: 8, last: DeviceID(bytes: [UInt8](repeating: 0x44, count: 16)))
        return [
            ("new event", event, eventStart + "00" + "0000000000000000" + "00"),
            ("half-walked event", walked, eventStart + "01" + "0000000000000008" + "01" + cc("44", 16)),
        ].map { name, event, hex in
            RowSample(name: name, hex: hex, encoded: event.encoded) { bytes throws(StoreError) in
                try PushEvent(number: 9, encoded: bytes, network: .mainnet).encoded
            }
        } + subjects
    }()

    /// Events of the kinds whose payload says who is told.
    private static let subjects: [RowSample] = {
        var message = PushSubject()
        message.alias = [0x61, 0x62]
        message.inboxTag = [UInt8](repeating: 0x77, count: 16)
        var group = PushSubject()
        group.groupID = [UInt8](repeating: 0x88, count: 32)
        var control = PushSubject()
        control.recipient = [UInt8](repeating: 0x99, count: 32)
        var broadcast = PushSubject()
        (broadcast.channel, broadcast.form) = ("ab", .file)
        let samples: [(PushKind, PushSubject, String)] = [
            (.contextualMessage, message, "01" + "00000002" + "6162" + "01" + cc("77", 16)),
            (.contextualMessage, PushSubject(), "00" + "00"), (.groupMessage, group, "01" + cc("88")),
            (.groupMessage, PushSubject(), "00"), (.groupControl, control, "01" + cc("99")),
            (.groupControl, PushSubject(), "00"),
            (.broadcast, broadcast, "01" + "00000002" + "6162" + "01" + "02"), (.broadcast, PushSubject(), "00" + "00"),
            (.handshake, PushSubject(), ""), (.selfStash, PushSubject(), ""),
        ]
        return samples.map { kind, subject, hex in
            var told = event
            (told.kind, told.subject) = (kind, subject)
            let start = cc("11") + Hex.encode([kind.rawValue]) + eventStart.dropFirst(66)
            return RowSample(
                name: "event of a \(kind), \(hex.count)", hex: start + "00" + "0000000000000000" + "00" + hex,
                encoded: told.encoded
            ) { bytes throws(StoreError) in try PushEvent(number: 9, encoded: bytes, network: .mainnet).encoded }
        }
    }()

    private static let deliveries: [RowSample] = {
        let fresh = Delivery(device: Sample.id(1), seq: 2, event: event, expiresAt: 8)
        let tried = Delivery(device: Sample.id(1), seq: 2, event: event, expiresAt: 8, attempts: 9, omitsPayload: true)
        let start =
            cc("11") + "02" + schnorrRow + "0000000000000003" + "0000000000000004" + "0000000000000005"
            + "0000000000000007" + "0000000000000008"
        return [
            ("new delivery", fresh, start + "00000000" + "00"), ("tried delivery", tried, start + "00000009" + "01"),
        ].map { name, delivery, hex in
            RowSample(name: name, hex: hex, encoded: delivery.encoded) { bytes throws(StoreError) in
                try Delivery(device: Sample.id(1), seq: 2, encoded: bytes, network: .mainnet).encoded
            }
        }
    }()

    private static let logEntries: [RowSample] = {
        let fresh = DeliveryLogEntry(Delivery(device: Sample.id(1), seq: 2, event: event, expiresAt: 8))
        var ended = fresh
        ended.state = .dead
        ended.attempts = 9
        ended.reason = "Bad"
        ended.changedAt = 10
        let start = cc("11") + "02" + schnorrRow + "0000000000000004" + "0000000000000007"
        return [
            ("new log row", fresh, start + "01" + "00000000" + "00000000" + "0000000000000000"),
            ("ended log row", ended, start + "03" + "00000009" + "00000003" + "426164" + "000000000000000a"),
        ].map { name, entry, hex in
            RowSample(name: name, hex: hex, encoded: entry.encoded) { bytes throws(StoreError) in
                try DeliveryLogEntry(device: Sample.id(1), seq: 2, encoded: bytes, network: .mainnet).encoded
            }
        }
    }()

    static let devices: [RowSample] = {
        let small = DeviceRecord(
            token: [0xde, 0xad], platform: .ios, createdAt: 1, lastSeen: 2, watchedAddresses: [])
        var full = DeviceRecord(
            token: [UInt8](repeating: 0x55, count: 32), platform: .macos, createdAt: 1, lastSeen: 2,
            primaryAddress: schnorr, walletAddress: ecdsa,
            deviceKey: DeviceKeyUse(keyID: [UInt8](repeating: 0x99, count: 32), counter: 7),
            watchedAddresses: [schnorr, ecdsa].compactMap { $0 },
            aliases: [[0x61], []], watchedGroupIDs: [[UInt8](repeating: 0x66, count: 32)],
            capabilities: ["group_v1", "é"], payloadFormat: .kachat)
        full.environment = .init(.production, isSaid: true)
        full.voipToken = [0xbe, 0xef]
        full.broadcastChannels = ["kaspa"]
        full.hiddenBroadcastSenders = ["b": [], "a": [schnorr].compactMap { $0 }]
        var shown = small
        shown.environment = .init(.development, isSaid: false)
        let times = "0000000000000001" + "0000000000000002"
        let none = cc("00000000", 8)
        return [
            ("small device", small, "03" + "00000002dead" + "00" + "00" + "01" + times + "00" + "00" + "00" + none),
            (
                "device whose environment Apple's answers have shown", shown,
                "03" + "00000002dead" + "00" + "01" + "01" + times + "00" + "00" + "00" + none
            ),
            (
                "full device", full,
                "03" + "00000020" + cc("55") + "02" + "82" + "02" + times + schnorrRow + ecdsaRow + "01" + cc("99")
                    + "0000000000000007" + "00000002" + schnorrRow.dropFirst(2)
                    + ecdsaRow.dropFirst(2) + "00000002" + "0000000161" + "00000000" + "00000001" + "00000020"
                    + cc("66") + "00000002" + "00000008" + "67726f75705f7631" + "00000002" + "c3a9" + "00000000"
                    + "00000002beef" + "00000001" + "000000056b61737061" + "00000002" + "0000000161" + "00000001"
                    + schnorrRow.dropFirst(2) + "0000000162" + "00000000"
            ),
        ].map { name, device, hex in
            RowSample(name: name, hex: hex, encoded: device.encoded) { bytes throws(StoreError) in
                try DeviceRecord(encoded: bytes, network: .mainnet).encoded
            }
        }
    }()

    private static let fundsHex =
        "00000001" + schnorrRow.dropFirst(2) + "0000000000000064" + "00000001" + ecdsaRow.dropFirst(2)

    private static let funds: [RowSample] = {
        guard let schnorr, let ecdsa else { return [] }
        let funds = Funds(credits: [Funds.Credit(address: schnorr, amount: 100)], spenders: [ecdsa])
        var event = PushEvent(
            number: 9, transactionID: Sample.hash(0x11), kind: .addressActivity, sender: nil, receiver: nil, amount: 0,
            blockTime: 4, acceptance: acceptance, queuedAt: 7, funds: funds)
        event.progress.list = 0x0102
        var delivery = Delivery(device: Sample.id(1), seq: 2, event: event, expiresAt: 8)
        delivery.address = schnorr
        let transfer = TransferRecord(
            transactionID: Sample.hash(0x11), blockTime: 4, acceptance: acceptance, funds: funds)
        let listed = TransferRecord(
            transactionID: Sample.hash(0x11), blockTime: 4, acceptance: acceptance, acceptedAt: 7, funds: funds,
            listed: [ecdsa], toSpenders: 8, toOthers: 9)
        var taken = listed
        (taken.acceptance, taken.acceptedAt) = (nil, nil)
        var (priced, takenPriced) = (listed, taken)
        (priced.fee, takenPriced.fee) = (10, 10)
        var recent = RecentPushes()
        _ = recent.admit(event: 3, within: .funds, now: 5)
        let device = DeviceRecord(
            token: [0xde, 0xad], platform: .ios, createdAt: 1, lastSeen: 2, watchedAddresses: [],
            payloadFormat: .kachat, watchOnlyAddresses: [schnorr])
        let scores = "0000000000000005" + "0000000000000006"
        let listedHex = "00000001" + ecdsaRow.dropFirst(2) + "0000000000000008" + "0000000000000009"
        return [
            RowSample(
                name: "event of funds",
                hex: cc("11") + "08" + "00" + "00" + "0000000000000000" + "0000000000000004" + cc("22") + scores
                    + "0000000000000007" + "02" + "0000000000000000" + "00" + "01" + fundsHex, encoded: event.encoded
            ) { bytes throws(StoreError) in try PushEvent(number: 9, encoded: bytes, network: .mainnet).encoded },
            RowSample(
                name: "delivery of funds",
                hex: cc("11") + "08" + "00" + "0000000000000000" + "0000000000000004" + "0000000000000005"
                    + "0000000000000007" + "0000000000000008" + "00000000" + "00" + schnorrRow,
                encoded: delivery.encoded
            ) { bytes throws(StoreError) in
                try Delivery(device: Sample.id(1), seq: 2, encoded: bytes, network: .mainnet).encoded
            },
            RowSample(
                name: "transfer", hex: "0000000000000004" + "01" + cc("22") + scores + fundsHex,
                encoded: transfer.encoded
            ) { bytes throws(StoreError) in
                try TransferRecord(transactionID: Sample.hash(0x11), encoded: bytes, network: .mainnet).encoded
            },
            RowSample(
                name: "listed transfer",
                hex: "0000000000000004" + "03" + cc("22") + scores + "0000000000000007" + fundsHex + listedHex,
                encoded: listed.encoded
            ) { bytes throws(StoreError) in
                try TransferRecord(transactionID: Sample.hash(0x11), encoded: bytes, network: .mainnet).encoded
            },
            RowSample(
                name: "reverted transfer", hex: "0000000000000004" + "02" + fundsHex + listedHex, encoded: taken.encoded
            ) { bytes throws(StoreError) in
                try TransferRecord(transactionID: Sample.hash(0x11), encoded: bytes, network: .mainnet).encoded
            },
            RowSample(
                name: "listed transfer with its fee",
                hex: "0000000000000004" + "83" + cc("22") + scores + "0000000000000007" + "000000000000000a" + fundsHex
                    + listedHex, encoded: priced.encoded
            ) { bytes throws(StoreError) in
                try TransferRecord(transactionID: Sample.hash(0x11), encoded: bytes, network: .mainnet).encoded
            },
            RowSample(
                name: "reverted transfer with its fee",
                hex: "0000000000000004" + "82" + "000000000000000a" + fundsHex + listedHex,
                encoded: takenPriced.encoded
            ) { bytes throws(StoreError) in
                try TransferRecord(transactionID: Sample.hash(0x11), encoded: bytes, network: .mainnet).encoded
            },
            RowSample(
                name: "recent pushes", hex: "00000001" + "0000000000000005" + "0000000000000003",
                encoded: recent.encoded
            ) { bytes throws(StoreError) in try RecentPushes(encoded: bytes).encoded },
            RowSample(
                name: "device with watch-only addresses",
                hex: "03" + "00000002dead" + "02" + "00" + "01" + "0000000000000001" + "0000000000000002" + "00" + "00"
                    + "00" + cc("00000000", 4) + "00000001" + schnorrRow.dropFirst(2) + cc("00000000", 3),
                encoded: device.encoded
            ) { bytes throws(StoreError) in try DeviceRecord(encoded: bytes, network: .mainnet).encoded },
        ]
    }()

    private static let corrections: [RowSample] = {
        let event = PushEvent(
            number: 9, transactionID: Sample.hash(0x11), kind: .paymentReverted, sender: nil, receiver: nil, amount: 3,
            blockTime: 4, acceptance: acceptance, queuedAt: 7, toldAt: 6)
        var delivery = Delivery(device: Sample.id(1), seq: 2, event: event, expiresAt: 8)
        delivery.correctedSeq = 1
        let reverted = RevertedRecord(revertedAt: 7, acceptance: acceptance)
        let scores = "0000000000000005" + "0000000000000006"
        return [
            RowSample(
                name: "event of a correction",
                hex: cc("11") + "09" + "00" + "00" + "0000000000000003" + "0000000000000004" + cc("22") + scores
                    + "0000000000000007" + "00" + "0000000000000000" + "00" + "0000000000000006", encoded: event.encoded
            ) { bytes throws(StoreError) in try PushEvent(number: 9, encoded: bytes, network: .mainnet).encoded },
            RowSample(
                name: "correction",
                hex: cc("11") + "09" + "00" + "0000000000000003" + "0000000000000004" + "0000000000000005"
                    + "0000000000000007" + "0000000000000008" + "00000000" + "00" + "0000000000000001",
                encoded: delivery.encoded
            ) { bytes throws(StoreError) in
                try Delivery(device: Sample.id(1), seq: 2, encoded: bytes, network: .mainnet).encoded
            },
            RowSample(
                name: "reverted", hex: "0000000000000007" + cc("22") + scores + "00", encoded: reverted.encoded
            ) { bytes throws(StoreError) in try RevertedRecord(encoded: bytes).encoded },
        ]
    }()

    private static let states: [RowSample] = {
        var waiting = DeviceState()
        waiting.lastSeq = 3
        waiting.strikes = 2
        waiting.scheduled = .init(seq: 1, due: 7, lane: .bulk)
        (waiting.isAccepted, waiting.waiting, waiting.firstKept) = (true, 2, 3)
        var refused = DeviceState()
        refused.unacceptedSince = 9
        var accepted = DeviceState()
        accepted.isAccepted = true
        return [
            ("idle state", DeviceState(), "0000000000000000" + "00000000" + "00" + "01"),
            ("idle state of a refused token", refused, "0000000000000000" + "00000000" + "00" + "020000000000000009"),
            ("idle state of an accepted token", accepted, "0000000000000000" + "00000000" + "00" + "00"),
            (
                "waiting state", waiting,
                "0000000000000003" + "00000002" + "01" + "0000000000000001" + "0000000000000007" + "01" + "00"
                    + "00000002" + "0000000000000003"
            ),
        ].map { name, state, hex in
            RowSample(name: name, hex: hex, encoded: state.encoded) { bytes throws(StoreError) in
                try DeviceState(encoded: bytes).encoded
            }
        }
    }()

    private static let unresolved: [RowSample] = {
        let small = UnresolvedSender(
            transactionID: Sample.hash(0x11), acceptance: acceptance, notifies: false, needsSender: false, group: nil,
            paid: [], due: 7, deadline: 8)
        let full = UnresolvedSender(
            transactionID: Sample.hash(0x11), acceptance: acceptance, notifies: true, needsSender: true,
            group: .init(
                blindedGroupID: [UInt8](repeating: 0x66, count: 32),
                senderPublicKey: [UInt8](repeating: 0x77, count: 32)),
            paid: schnorr.map { [.init(address: $0, amount: 3)] } ?? [], attempts: 9, due: 7, deadline: 8)
        var refused = small
        refused.refusals = 3
        let start = cc("22") + "0000000000000005" + "0000000000000006"
        let times = "0000000000000007" + "0000000000000008"
        return [
            ("small question", small, start + "00" + "00" + "00" + "00000000" + "00000000" + times),
            (
                "refused question", refused, start + "00" + "02" + "00" + "00000000" + "00000000" + times + "03"
            ),
            (
                "full question", full,
                start + "01" + "01" + "01" + cc("66") + cc("77") + "00000001" + schnorrRow.dropFirst(2)
                    + "0000000000000003" + "00000009" + times
            ),
        ].map { name, question, hex in
            RowSample(name: name, hex: hex, encoded: question.encoded) { bytes throws(StoreError) in
                try UnresolvedSender(transactionID: Sample.hash(0x11), encoded: bytes, network: .mainnet).encoded
            }
        }
    }()

    private static let others: [RowSample] = [
        RowSample(
            name: "gap", hex: "0000000000000001" + "0000000000000002" + "0000000000000003" + "0000000000000004",
            encoded: ChainGap(fromDAAScore: 1, toDAAScore: 2, foundAt: 3, count: 4).encoded
        ) { bytes throws(StoreError) in try ChainGap(encoded: bytes).encoded },
        RowSample(
            name: "cursor", hex: cc("77") + "0000000000000001" + "0000000000000002" + "0000000000000003",
            encoded: ChainCursor(blockHash: Sample.hash(0x77), daaScore: 1, blueScore: 2, timestamp: 3).encoded
        ) { bytes throws(StoreError) in try ChainCursor(encoded: bytes).encoded },
    ]
}
