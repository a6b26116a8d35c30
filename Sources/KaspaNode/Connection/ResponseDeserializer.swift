import GRPCCore

/// Reads messages where gRPC has put them: the bytes are not copied, nor kept.
struct ResponseDeserializer: MessageDeserializer {
    let reading: WireReading

    /// Throws `malformedAnswer`, which ends the stream: behind it nothing can be trusted.
    func deserialize<Bytes: GRPCContiguousBytes>(_ serializedMessageBytes: Bytes) throws -> NodeResponse {
        do {
            return try serializedMessageBytes.withUnsafeBytes { try reading.read($0) }
        } catch {
            throw NodeError(.malformedAnswer, "the node sent what is no message: \(error)")
        }
    }
}
