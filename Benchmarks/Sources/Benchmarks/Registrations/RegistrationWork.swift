import CSecp256k1Client
import Crypto
import Foundation
import Kaspa
import Store

/// What no service can leave out of a registration, in a loop: its JSON and its addresses are read, its signature is
/// checked by libsecp256k1, and its rows go through RocksDB's C API, not synced.
final class RegistrationWork {
    private struct Body: Decodable {
        struct Authentication: Decodable {
            var nonce: String
            var signature: String
            var timestamp_ms: UInt64
            var expires_at_ms: UInt64
            var wallet_address: String
            var wallet_pubkey: String
        }

        var device_token: String
        var watched_addresses: [String]
        var primary_address: String
        var auth: Authentication
    }

    private let context: OpaquePointer
    private let database: RawRocksDB

    init(path: String) throws {
        guard let context = secp256k1_context_create(UInt32(SECP256K1_CONTEXT_NONE)) else {
            throw BenchmarkError("libsecp256k1 gives no context.")
        }
        self.context = context
        database = try RawRocksDB(path: path)
    }

    deinit { secp256k1_context_destroy(context) }

    /// The processor time for each, seconds.
    func run(_ bodies: [Data]) throws -> Double {
        let before = CPUTime.own
        for body in bodies { try run(body) }
        return (CPUTime.own - before) / Double(bodies.count)
    }

    private func run(_ data: Data) throws {
        let body = try JSONDecoder().decode(Body.self, from: data)
        let watched = try body.watched_addresses.map { try Address(parsing: $0) }
        let text = AppWallet.signedText(
            nonce: body.auth.nonce, issued: body.auth.timestamp_ms, expires: body.auth.expires_at_ms, method: "POST",
            path: DayDevice.registering, token: body.device_token,
            watched: body.watched_addresses, primary: body.primary_address, publicKey: body.auth.wallet_pubkey,
            wallet: body.auth.wallet_address)
        guard let key = Hex.decode(body.auth.wallet_pubkey.utf8), let signature = Hex.decode(body.auth.signature.utf8),
            let token = Hex.decode(body.device_token.utf8), isSigned(text, by: key, signature)
        else { throw BenchmarkError("A phone's signature is none.") }
        try database.write(RawRocksDB.rows(of: DeviceID(token: token), watching: watched))
    }

    private func isSigned(_ text: String, by key: [UInt8], _ signature: [UInt8]) -> Bool {
        var point = secp256k1_xonly_pubkey()
        let digest = Array(SHA256.hash(data: Data(text.utf8)))
        return key.count == 32 && signature.count == 64
            && secp256k1_xonly_pubkey_parse(context, &point, key) == 1
            && secp256k1_schnorrsig_verify(context, signature, digest, digest.count, &point) == 1
    }
}
