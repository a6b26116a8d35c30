internal import CCurl

/// One easy handle with its buffers, used for one exchange after another on one connection's thread.
final class CurlTransfer {
    /// What a transfer asks of the connection it belongs to.
    protocol Owner: AnyObject {
        /// Whether a socket may be opened for a transfer that was (not) sent before.
        func maySocketBeOpened(forSent wasSent: Bool) -> Bool
        /// The connection stands and the request is about to be sent.
        func requestWillBeSent() -> ContinuousClock.Instant
        /// Bytes came in.
        func bytesReceived()
        /// The server will answer nothing on streams above this one.
        func goAwayReceived(lastStream: Int)
    }

    let easy: UnsafeMutableRawPointer
    private unowned let owner: any Owner
    /// The owner's, and longer-lived than every connection.
    private let sockets: UnsafeMutablePointer<ccurl_sockets>
    private let origin: String
    private let requestHeaders = RequestHeaders()

    private(set) var exchange: Exchange?
    /// The transfer's index among its connection's active ones.
    var position = 0
    /// When the request was given to libcurl.
    private(set) var startedAt = ContinuousClock.now
    /// When libcurl began to write the request; nil while it waits for the connection or for a free stream.
    private(set) var sentAt: ContinuousClock.Instant?
    /// The HTTP/2 stream of the request, if libcurl's trace told it.
    private(set) var stream: Int?
    private(set) var hasFirstByte = false
    /// libcurl wanted a connection of its own for this transfer: the one it had is not usable any more.
    private(set) var wasDeniedSocket = false

    private var body: [UInt8] = []
    private var apnsID: String?
    private var retryAfter: String?

    init(
        settings: CurlSettings, sockets: UnsafeMutablePointer<ccurl_sockets>, owner: any Owner
    ) throws(CurlError) {
        guard let easy = curl_easy_init() else { throw CurlError(code: CURLE_OUT_OF_MEMORY) }
        self.easy = easy
        self.owner = owner
        self.sockets = sockets
        origin = settings.origin
        try settings.apply(to: easy)
        try setCallbacks()
    }

    deinit { curl_easy_cleanup(easy) }

    /// Loads the handle with an exchange.
    func load(_ exchange: Exchange, at now: ContinuousClock.Instant) throws(CurlError) {
        let request = exchange.request
        try set(CURLOPT_URL, "\(origin)/3/device/\(request.deviceToken)")
        try set(CURLOPT_HTTPHEADER, requestHeaders.list(for: request, followedBy: exchange.headers))
        try set(CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.payload.count))
        try CurlError.check(
            request.payload.withUnsafeBytes { bytes in
                // Copied by libcurl. An empty array may have no address, which would mean "no body is set".
                if let address = bytes.baseAddress {
                    ccurl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: address))
                } else {
                    ccurl_set_string(easy, CURLOPT_COPYPOSTFIELDS, "")
                }
            })
        self.exchange = exchange
        startedAt = now
    }

    /// Takes the exchange off and forgets everything about it.
    func unload() -> Exchange? {
        defer {
            exchange = nil
            sentAt = nil
            stream = nil
            hasFirstByte = false
            wasDeniedSocket = false
            body.removeAll(keepingCapacity: true)
            apnsID = nil
            retryAfter = nil
        }
        return exchange
    }

    /// The answer as far as it came; nil if no final status did.
    ///
    /// Before this exchange is sent there is none: until libcurl begins with it, the handle reports the status of the
    /// exchange before.
    func answer() -> APNsAnswer? {
        guard sentAt != nil else { return nil }
        let status = getLong(CURLINFO_RESPONSE_CODE)
        guard status >= 200 else { return nil }
        return APNsAnswer(status: status, body: body, retryAfter: retryAfter, apnsID: apnsID)
    }

    /// Whether the answer came over HTTP/2.
    var cameOverHTTP2: Bool { getLong(CURLINFO_HTTP_VERSION) == CURL_HTTP_VERSION_2_0 }

    /// The errno of a failed connect.
    var systemError: Int32 { Int32(truncatingIfNeeded: getLong(CURLINFO_OS_ERRNO)) }

    private func getLong(_ info: CURLINFO) -> Int {
        var value = 0
        return ccurl_get_long(easy, info, &value) == CURLE_OK ? value : 0
    }
}

// MARK: - Callbacks, all on the connection's thread

extension CurlTransfer {
    private func setCallbacks() throws(CurlError) {
        let me = Unmanaged.passUnretained(self).toOpaque()
        try set(CURLOPT_PRIVATE, me)
        try set(CURLOPT_WRITEDATA, me)
        try set(CURLOPT_HEADERDATA, me)
        try set(CURLOPT_OPENSOCKETDATA, me)
        try set(CURLOPT_PREREQDATA, me)
        try set(CURLOPT_DEBUGDATA, me)
        try CurlError.check(
            ccurl_set_debug_callback(easy) { _, kind, bytes, count, me in
                // All but the text holds headers and bodies, which are nobody's business here.
                if kind == CURLINFO_TEXT {
                    CurlTransfer.from(me)?.traced(UnsafeRawBufferPointer(start: bytes, count: count))
                }
                return 0
            })
        try CurlError.check(
            ccurl_set_data_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, me in
                CurlTransfer.from(me)?.received(body: UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
            })
        try CurlError.check(
            ccurl_set_data_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, me in
                CurlTransfer.from(me)?.received(header: UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
            })
        try CurlError.check(
            ccurl_set_open_socket_callback(easy) { me, _, address in
                guard let address else { return -1 }
                return CurlTransfer.from(me)?.openSocket(address) ?? -1
            })
        try CurlError.check(ccurl_set_sockets(easy, sockets))
        try CurlError.check(
            ccurl_set_prerequest_callback(easy) { me, _, _, _, _ in
                CurlTransfer.from(me)?.willSend() ?? CURL_PREREQFUNC_ABORT
            })
    }

    /// The transfer behind a callback's pointer, or behind `CURLOPT_PRIVATE`.
    static func from(_ pointer: UnsafeMutableRawPointer?) -> CurlTransfer? {
        pointer.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private func traced(_ line: UnsafeRawBufferPointer) {
        switch CurlTrace(line) {
        case .streamOpened(let stream): self.stream = stream
        case .goAway(let lastStream): owner.goAwayReceived(lastStream: lastStream)
        case nil: break
        }
    }

    /// Taking fewer bytes than were offered ends the transfer: an endless body costs no more than its first part.
    private func received(body bytes: UnsafeRawBufferPointer) -> Int {
        owner.bytesReceived()
        guard body.count + bytes.count <= APNsAnswer.maximumBodyBytes else { return 0 }
        body.append(contentsOf: bytes)
        return bytes.count
    }

    private func received(header bytes: UnsafeRawBufferPointer) -> Int {
        owner.bytesReceived()
        hasFirstByte = true
        if let value = Self.value(of: "apns-id:", in: bytes) {
            apnsID = value
        } else if let value = Self.value(of: "retry-after:", in: bytes) {
            retryAfter = value
        }
        return bytes.count
    }

    /// The value of a header line with this lower-case name; printable ASCII of at most 64 bytes, else nil.
    private static func value(of name: StaticString, in line: UnsafeRawBufferPointer) -> String? {
        let length = name.utf8CodeUnitCount
        guard line.count > length, line.count <= length + 68 else { return nil }
        for index in 0..<length where line[index] | 0x20 != name.utf8Start[index] | 0x20 { return nil }
        let value = line[length...].drop { $0 <= 0x20 }
        guard let last = value.lastIndex(where: { $0 > 0x20 }) else { return nil }
        let kept = value[...last]
        guard kept.allSatisfy({ (0x20...0x7e).contains($0) }) else { return nil }
        return String(decoding: kept, as: UTF8.self)
    }

    /// Opens a connection's socket for its first request, and denies any other.
    ///
    /// libcurl would quietly replace a lost connection and send on it again: both are for us to decide.
    private func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        guard owner.maySocketBeOpened(forSent: sentAt != nil) else {
            wasDeniedSocket = true
            return -1
        }
        return ccurl_open_socket(sockets, address, CurlSettings.deadPeerMilliseconds)
    }

    private func willSend() -> CInt {
        guard sentAt == nil else {
            wasDeniedSocket = true
            return CURL_PREREQFUNC_ABORT
        }
        sentAt = owner.requestWillBeSent()
        return CURL_PREREQFUNC_OK
    }
}

// MARK: - One checked `set` for each kind of option

extension CurlTransfer {
    private func set(_ option: CURLoption, _ value: String) throws(CurlError) {
        try CurlError.check(ccurl_set_string(easy, option, value))
    }

    private func set(_ option: CURLoption, _ value: curl_off_t) throws(CurlError) {
        try CurlError.check(ccurl_set_offset(easy, option, value))
    }

    private func set(_ option: CURLoption, _ value: UnsafeMutablePointer<curl_slist>) throws(CurlError) {
        try CurlError.check(ccurl_set_list(easy, option, value))
    }

    private func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) throws(CurlError) {
        try CurlError.check(ccurl_set_pointer(easy, option, value))
    }
}
