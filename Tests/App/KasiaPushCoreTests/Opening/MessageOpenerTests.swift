import KasiaPushSecp256k1
import Kaspa
import TestRandom
import Testing

@testable import KasiaPushCore

@Suite("Message opener")
struct MessageOpenerTests {
    private let reader = Person("reader")

    private func open(_ bytes: [UInt8], by person: Person? = nil) throws -> String {
        try (person ?? reader).opener.open(try #require(SealedBody(bytes)))
    }

    /// An opener for a secret of the vectors; the address plays no part for messages to one.
    private func opener(_ secret: String) throws -> MessageOpener {
        try #require(
            MessageOpener(
                address: reader.address, secret: hex(secret), curve: LibSecp256k1()))
    }

    @Test("opens what the apps' own cryptography has sealed, and says why not")
    func vectors() throws {
        var (opened, refused) = (0, 0)
        for vector in try MessageVectors.load().sealed {
            let opener = try opener(vector.receiverSecret)
            let raw = hex(vector.sealed)
            for body in [raw, Array(vector.sealed.utf8), Array(Base64.encode(raw).utf8)] {
                let sealed = try #require(SealedBody(body))
                switch vector.error {
                case nil:
                    #expect(try opener.open(sealed) == vector.text)
                    opened += 1
                case "authentication":
                    #expect(throws: OpeningError.wrongKey) { try opener.open(sealed) }
                    refused += 1
                default:
                    #expect(throws: OpeningError.tooShort) { try opener.open(sealed) }
                    refused += 1
                }
            }
        }
        #expect(opened == 18 && refused == 6)
    }

    @Test("derives the vectors' shared secrets and keys")
    func intermediate() throws {
        for vector in try MessageVectors.load().sealed {
            guard let shared = vector.sharedX, let secret = vector.ephemeralSecret, let address = vector.receiverAddress
            else { continue }
            let key = try Address(parsing: address).payload
            let x = LibSecp256k1().sharedX(secret: hex(secret), publicKey: key)
            #expect(x.map { Hex.encode($0) } == shared)
            #expect(Hex.encode(KeyDerivation.bytes(from: try #require(x))) == vector.key)
        }
    }

    @Test("opens raw, base64, hex, and each within what carriers make of it")
    func encodings() throws {
        let raw = try Seal.message("hello ☕", to: reader)
        let base64 = Array(Base64.encode(raw).utf8)
        let url = Array(
            Base64.encode(raw).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "").utf8)
        let hex = Array(Hex.encode(raw).utf8)
        for body in [raw, base64, url, hex] {
            #expect(try open(body) == "hello ☕")
            for root in ["ciph_msg:1:comm:alias:", "kchat:1:comm:alias:", "kchat:1:handshake:", "ciph_msg:"] {
                let payload = Array(root.utf8) + body
                // Of the unversioned form a colon after the first character would name another version.
                #expect(try open(payload) == "hello ☕")
                #expect(try open(Array(Hex.encode(payload).utf8)) == "hello ☕")
            }
            #expect(try open(Array(Hex.encode(body).utf8)) == "hello ☕")
            #expect(try open(Array(Base64.encode(body).utf8)) == "hello ☕")
        }
    }

    @Test("opens the older form, whose key has no first byte and stands for the point with even y")
    func olderForm() throws {
        // A key that begins with 2 or 3 is not in this form.
        let ephemeral = (0..<100).map { Person("older \($0)") }.filter { ![2, 3].contains($0.key.publicKey[0]) }
        for person in ephemeral.prefix(20) {
            let sealed = try Seal.message(Array("old".utf8), to: reader, by: person, marker: nil)
            #expect(sealed.count == 12 + 32 + 3 + 16)
            #expect(try open(sealed) == "old")
        }
    }

    @Test("opens keys of either sign, and empty messages")
    func signs() throws {
        for marker: UInt8 in [2, 3] {
            #expect(try open(Seal.message([], to: reader, marker: marker)) == "")
        }
    }

    @Test("calls fewer bytes than an empty message has too short", arguments: [nil, 2] as [UInt8?])
    func shortest(marker: UInt8?) throws {
        let sealed = try Seal.message([], to: reader, by: Person("older 0"), marker: marker)
        #expect(sealed.count == (marker == nil ? 60 : 61))
        #expect(try open(sealed) == "")
        #expect(throws: OpeningError.tooShort) { try open(sealed.dropLast()) }
        #expect(throws: OpeningError.wrongKey) { try open(sealed + [0]) }
        #expect(throws: OpeningError.tooShort) { try open([0]) }
        #expect(throws: OpeningError.tooShort) { try open([]) }
    }

    @Test("does not open what is another's, or is no text")
    func refuses() throws {
        let sealed = try Seal.message("hello", to: reader)
        #expect(throws: OpeningError.wrongKey) { try open(sealed, by: Person("somebody else")) }
        let bytes = try Seal.message([0xff, 0xfe], to: reader)
        #expect(throws: OpeningError.notText) { try open(bytes) }
    }

    @Test("does not open a message of which one bit was changed, wherever it is")
    func everyBit() throws {
        let sealed = try Seal.message("a", to: reader)
        for index in sealed.indices {
            for bit in 0..<8 {
                // The sign of the ephemeral key is not protected: both give the same key.
                if index == 12, bit == 0 { continue }
                var changed = sealed
                changed[index] ^= 1 << UInt8(bit)
                #expect(throws: OpeningError.self, "bit \(bit) of byte \(index)") { try open(changed) }
            }
        }
    }

    @Test("opens nothing else, whatever strangers write")
    func fuzz() throws {
        var random = SeededRandom()
        let vectors = try MessageVectors.load().sealed.filter { $0.text != nil }
        for _ in 0..<1_500 {
            let vector = vectors.randomElement(using: &random)!
            let opener = try opener(vector.receiverSecret)
            let raw = hex(vector.sealed)
            var body = [raw, Array(vector.sealed.utf8), Array(Base64.encode(raw).utf8)].randomElement(using: &random)!
            for _ in 0..<Int.random(in: 1...3, using: &random) { body.mutate(using: &random) }
            guard let sealed = SealedBody(body), let text = try? opener.open(sealed) else { continue }
            // What still opens is the same but for its spelling and the key's sign, which may be left out, too.
            #expect(text == vector.text, "seed \(random.seed)")
            let isSame = sealed.readings.contains {
                $0.prefix(12) == raw.prefix(12) && raw.count - $0.count <= 1
                    && $0.dropFirst($0.count - raw.count + 13) == raw.dropFirst(13)
            }
            #expect(isSame, "seed \(random.seed)")
        }
        for _ in 0..<300 {
            let bytes = random.bytes(1...200)
            #expect(throws: OpeningError.self, "seed \(random.seed)") { try open(bytes) }
        }
    }

    // MARK: Pushes

    @Test("opens what every shape carries")
    func shapes() throws {
        let raw = try Seal.message("from a push", to: reader)
        let base64 = Base64.encode(raw)
        let payload = Hex.encode(Array("kchat:1:comm:alias:\(base64)".utf8))
        let pushes = [
            try Pushes.read(Pushes.kasia("contextual_message", payload: payload)),
            try Pushes.read(Pushes.kachat("contextual", payload: base64)),
            try Pushes.read(Pushes.kachat("contextual", payload: Hex.encode(raw))),
            try Pushes.read(Pushes.kachat("contextual", payload: payload)),
            try Pushes.read(Pushes.web("contextual", payload: base64)),
            try Pushes.read(Pushes.kachat("handshake", payload: Hex.encode(raw))),
            try Pushes.read(Pushes.kachat("group_control", payload: Hex.encode(raw))),
            PushPayload(data: Pushes.fcm("contextual", extra: ["enc_payload": base64])),
        ]
        for push in pushes {
            let opened = try reader.opener.open(push)
            #expect(opened.text == "from a push" && opened.group == nil)
        }
        let call = Pushes.call(sender: reader.address, payload: payload)
        #expect(try reader.opener.open(Pushes.read(call)).text == "from a push")
    }

    @Test("reads memos: the service's, plain ones, sealed text and sealed JSON")
    func memos() throws {
        let json = #"{"type":"payment","message":"für dich","amount":1}"#
        let chain = Hex.encode(Array("ciph_msg:1:payment:\(json)".utf8))
        let sealedJSON = try Seal.message(json, to: reader)
        let sealedText = try Seal.message("für dich", to: reader)
        let pushes = [
            try Pushes.read(Pushes.kasia("payment", extra: #""memo":"für dich","#, payload: chain)),
            try Pushes.read(Pushes.kasia("payment", payload: chain)),
            try Pushes.read(Pushes.kachat("payment", payload: Hex.encode(Array(json.utf8)))),
            PushPayload(data: Pushes.fcm("payment", extra: ["enc_payload": Base64.encode(Array(json.utf8))])),
            try Pushes.read(Pushes.kachat("payment", payload: Hex.encode(sealedJSON))),
            try Pushes.read(Pushes.kachat("payment", payload: Base64.encode(sealedText))),
        ]
        for push in pushes { #expect(try reader.opener.open(push).text == "für dich") }
        let number = try Pushes.read(Pushes.kachat("payment", payload: Hex.encode(Array(#"{"message":7}"#.utf8))))
        #expect(throws: OpeningError.tooShort) { try reader.opener.open(number) }
    }

    @Test("says that there is nothing sealed")
    func nothing() throws {
        let pushes = [
            try Pushes.read(Pushes.kachat("contextual", payload: nil)),
            try Pushes.read(Pushes.kachat("payment", payload: nil)),
            try Pushes.read(Pushes.kachat("group_message", payload: nil)),
            try Pushes.read(Pushes.kachat("payment_reverted", payload: "00")),
            PushPayload.unknown(PushAlert(), nil),
        ]
        for push in pushes { #expect(throws: OpeningError.nothingSealed) { try reader.opener.open(push) } }
    }

    // MARK: Keys

    @Test("takes a secret of 32 bytes, and an address of version 0")
    func makes() throws {
        let curve = LibSecp256k1()
        for count in [0, 31, 33] {
            #expect(
                MessageOpener(address: reader.address, secret: Array(repeating: 1, count: count), curve: curve) == nil)
        }
        let script = try #require(Address(prefix: .kaspa, version: .scriptHash, payload: reader.key.publicKey))
        for address in ["", "kaspa:q", script.description] {
            #expect(MessageOpener(address: address, secret: reader.secret, curve: curve) == nil)
        }
        #expect(MessageOpener(address: reader.address.uppercased(), secret: reader.secret, curve: curve) != nil)
    }

    @Test("is not printed, nor is what it opens")
    func printing() throws {
        let opened = OpenedMessage(text: "private")
        var dumped = ""
        dump(reader.opener, to: &dumped)
        dump(opened, to: &dumped)
        #expect("\(reader.opener) \(opened) \(String(reflecting: opened))" == "… … …")
        #expect(!dumped.contains("private") && !dumped.contains("\(reader.secret[0])"))
        #expect(dumped.split(separator: "\n").count == 2)
    }
}
