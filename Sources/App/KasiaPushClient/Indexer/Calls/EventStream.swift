/// The events of one of the service's streams, in order, until it ends or fails.
///
/// Errors are `IndexerError`s. The stream is closed when the sequence and its iterators are released, or the reading
/// task is cancelled. It can be iterated once.
public struct EventStream<Event: Sendable>: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = Event
    /// Makes an event of a block; nil for a block that is none.
    typealias Read = @Sendable (StreamBlock) throws(IndexerError) -> Event?

    private let nextPiece: TransportStream.NextPiece
    private let limit: Int
    private let read: Read

    /// The longest event has `limit` bytes.
    init(nextPiece: @escaping TransportStream.NextPiece, limit: Int, read: @escaping Read) {
        self.nextPiece = nextPiece
        self.limit = limit
        self.read = read
    }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(nextPiece: nextPiece, parser: EventParser(limit: limit), read: read)
    }

    /// Reads the events one by one.
    public struct Iterator: AsyncIteratorProtocol {
        private let nextPiece: TransportStream.NextPiece
        private var parser: EventParser
        private let read: Read
        /// Blocks that were parsed and not read.
        private var blocks: ArraySlice<StreamBlock> = []

        fileprivate init(nextPiece: @escaping TransportStream.NextPiece, parser: EventParser, read: @escaping Read) {
            self.nextPiece = nextPiece
            self.parser = parser
            self.read = read
        }

        /// The next event; nil at the stream's end.
        public mutating func next() async throws -> Event? {
            while true {
                while let block = blocks.popFirst() {
                    if let event = try read(block) { return event }
                }
                do throws(TransportError) {
                    guard let piece = try await nextPiece() else { return nil }
                    blocks = try parser.take(piece)[...]
                } catch {
                    throw IndexerError(error)
                }
            }
        }
    }
}
