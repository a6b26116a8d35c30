import GRPCCore

/// Reads messages where gRPC has put them: the bytes are not copied, nor kept.
struct ResponseDeserializer: MessageDeserializer {
    let reading: WireReading
    /// Sees each message before it is read.
    let arriving: @Sendable (UnsafeRawBufferPointer) -> Void

    /// Throws `malformedAnswer`, which ends the stream: behind it nothing can be trusted.
    func deserialize<Bytes: GRPCContiguousBytes>(_ serializedMessageBytes: Bytes) throws -> NodeResponse {
        do {
            return try serializedMessageBytes.withUnsafeBytes { message in
                arriving(message)
                return try reading.read(message)
            }
        } catch {
            throw NodeError(.malformedAnswer, "the node sent what is no message: \(error)")
        }
    }
}
