import NIOCore

/// Reads lines of bounded length from a stream of bytes.
struct LineReader {
    /// A line that is longer than allowed, or not UTF-8.
    struct Malformed: Error {}

    private var iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private var buffer = ByteBuffer()

    init(_ stream: NIOAsyncChannelInboundStream<ByteBuffer>) {
        iterator = stream.makeAsyncIterator()
    }

    /// The next line without its line feed; nil at the end.
    ///
    /// An incomplete last line is dropped.
    mutating func next() async throws -> String? {
        while true {
            if let length = buffer.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
                let bytes = buffer.readBytes(length: length - buffer.readerIndex) ?? []
                buffer.moveReaderIndex(forwardBy: 1)
                guard bytes.count <= ControlRequest.maximumLineBytes,
                    let line = String(validating: bytes, as: UTF8.self)
                else { throw Malformed() }
                return line
            }
            guard buffer.readableBytes <= ControlRequest.maximumLineBytes else { throw Malformed() }
            guard var more = try await iterator.next(isolation: #isolation) else { return nil }
            buffer.discardReadBytes()
            buffer.writeBuffer(&more)
        }
    }
}
