/// What libcurl says about HTTP/2 in its trace, and nowhere else.
///
/// Which streams a GOAWAY leaves unprocessed decides whether a request is sent again at once or after a while, and
/// libcurl 7.88 has no other way to tell: after a GOAWAY it reports an empty success, or error 16, for streams above and
/// below the last one alike. Later versions word the lines a little differently; what is not recognised only means that
/// a lost stream counts as reset.
enum CurlTrace: Equatable {
    /// The transfer's request was given this stream.
    case streamOpened(Int)
    /// A GOAWAY came, and this is the last stream that the server has processed or will.
    case goAway(lastStream: Int)

    private static let openedPrefix = Array("Using Stream ID: ".utf8)
    private static let goAwayWord = Array("GOAWAY".utf8)
    private static let lastStreamWord = Array("last_stream=".utf8)

    /// Reads one line; nil for the many others.
    init?(_ line: some RandomAccessCollection<UInt8>) {
        // Cheap first: this is called a dozen times for each request.
        switch line.first {
        case UInt8(ascii: "U"):
            guard line.starts(with: Self.openedPrefix),
                let stream = Self.number(line.dropFirst(Self.openedPrefix.count))
            else { return nil }
            self = .streamOpened(stream)
        case UInt8(ascii: "r"), UInt8(ascii: "["):
            guard line.firstRange(of: Self.goAwayWord) != nil,
                let word = line.firstRange(of: Self.lastStreamWord), let stream = Self.number(line[word.upperBound...])
            else { return nil }
            self = .goAway(lastStream: stream)
        default: return nil
        }
    }

    private static func number(_ text: some Sequence<UInt8>) -> Int? {
        let digits = Array(text.prefix(while: \.isASCIIDigit))
        return Int(String(decoding: digits, as: UTF8.self))
    }
}
