@testable import KasiaPushStore

/// The transaction id of a number.
func transactionID(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 64 - digits.count) + digits
}

/// An opened message.
func message(_ number: Int, text: String? = "hello") -> PendingMessage {
    PendingMessage(
        transactionID: transactionID(number), kind: "contextual_message", sender: "kaspa:qsender", text: text,
        receivedAt: Int64(number))
}

let exampleApp = AppMetadata(domain: "example.com", uri: "https://example.com/app", scheme: "https")

func sent(_ number: Int, at time: Int64, app: AppMetadata? = exampleApp, from address: String = "kaspa:qa")
    -> SentTransaction
{
    SentTransaction(transactionID: transactionID(number), app: app, method: "send", address: address, sentAt: time)
}

func signature(_ number: Int, at time: Int64, app: AppMetadata? = exampleApp, by address: String = "kaspa:qa")
    -> SignatureRecord
{
    SignatureRecord(digest: transactionID(number), app: app, method: "sign", address: address, signedAt: time)
}

extension PushStore {
    /// One integer of the file, by a statement of the test.
    func integer(_ sql: StaticString) async throws -> Int64? {
        try await database.read { connection throws(StoreError) in try connection.integer(sql) }
    }
}
