internal import CNghttp2

/// HTTP/2 on one connection, by nghttp2: requests and the server's bytes go in, bytes for the server and the ends of
/// requests come out.
///
/// It does no input or output. For one thread.
final class Session {
    /// What a session tells, from within ``receive(_:)`` and ``collect(into:)``.
    protocol Owner: AnyObject {
        /// The moment that a request written now is sent at.
        var now: ContinuousClock.Instant { get }
        /// The server's SETTINGS allow so many concurrent requests.
        func settingsReceived(streams: Int)
        /// A request ended.
        func requestEnded(_ exchange: Exchange, _ ending: Ending)
        /// The server takes nothing new.
        func goAwayReceived(code: UInt32)
        /// An answer began.
        func answerBegan()
    }

    /// How a request ended, as the frames tell it.
    enum Ending: Equatable {
        /// The answer is whole.
        case answered(HTTPAnswer)
        /// The answer's end did not come.
        case cutShort(HTTPAnswer)
        /// The server has not processed it: the stream was refused, or is above a GOAWAY's last one.
        case unprocessed
        /// The stream was reset, or the connection lost, before the answer; the server may have processed it.
        case lost
        /// Its HEADERS never left.
        case notSent
    }

    /// A header and its frame's largest payload.
    static let maximumFrameBytes = 16_384 + 9

    private let settings: HTTP2Settings
    private unowned let owner: any Owner
    private var handle: OpaquePointer?
    private var encoder: HeaderEncoder
    /// A header block on its way into a frame.
    private var block: [UInt8] = []
    /// The last stream that a GOAWAY lets live.
    private var lastStream = Int32.max

    /// The requests that have begun and not ended.
    private(set) var active: [RequestStream] = []
    private var spare: [RequestStream] = []

    init(_ settings: HTTP2Settings, owner: any Owner) throws(CurlError) {
        self.settings = settings
        self.owner = owner
        encoder = HeaderEncoder(authority: settings.authority)
        block.reserveCapacity(1_024)
        handle = Self.makeHandle(for: Unmanaged.passUnretained(self).toOpaque())
        guard let handle else { throw .outOfMemory }
        var entry = nghttp2_settings_entry(settings_id: CInt(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0)
        guard nghttp2_submit_settings(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), &entry, 1) == 0 else {
            throw .outOfMemory
        }
    }

    deinit { nghttp2_session_del(handle) }

    // MARK: - Requests

    /// Begins a request; false if this connection has no stream left, or no memory.
    func submit(_ exchange: Exchange, at now: ContinuousClock.Instant) -> Bool {
        let stream = spare.popLast() ?? RequestStream()
        stream.load(exchange, at: now)
        let pointer = Unmanaged.passUnretained(stream).toOpaque()
        // In the place of the header block, which ``collect(into:)`` writes.
        var field = Self.placeholder
        switch exchange.request.method {
        case .post:
            var body = nghttp2_data_provider(source: nghttp2_data_source(ptr: pointer), read_callback: Self.readBody)
            stream.id = nghttp2_submit_request(handle, nil, &field, 1, &body, pointer)
        case .get: stream.id = nghttp2_submit_request(handle, nil, &field, 1, nil, pointer)
        }
        guard stream.id > 0 else {
            _ = stream.unload(isProcessed: false)
            spare.append(stream)
            return false
        }
        stream.position = active.count
        active.append(stream)
        return true
    }

    /// Ends a request before the server does; the owner is not told.
    func cancel(_ stream: RequestStream) -> (exchange: Exchange, ending: Ending) {
        nghttp2_submit_rst_stream(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.id, NGHTTP2_CANCEL.rawValue)
        return take(stream, isProcessed: stream.id <= lastStream)
    }

    /// Asks whether the server lives.
    func ping() { nghttp2_submit_ping(handle, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil) }

    /// Says goodbye: the last bytes that ``collect(into:)`` gives.
    func terminate() { nghttp2_session_terminate_session(handle, NGHTTP2_NO_ERROR.rawValue) }

    /// Whether there is nothing more to say or to hear.
    var isOver: Bool { nghttp2_session_want_read(handle) == 0 && nghttp2_session_want_write(handle) == 0 }

    // MARK: - Bytes

    /// Takes in bytes of the server; nghttp2's words if they are not HTTP/2.
    func receive(_ bytes: UnsafeRawBufferPointer) -> String? {
        let code = nghttp2_session_mem_recv(
            handle, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        return code < 0 ? Self.words(of: code) : nil
    }

    /// Writes the next frame, of at most ``maximumFrameBytes``; 0 if there is none now.
    ///
    /// Throws nghttp2's words.
    func collect(into room: UnsafeMutableRawBufferPointer) throws(SessionFailure) -> Int {
        var bytes: UnsafePointer<UInt8>?
        let count = nghttp2_session_mem_send(handle, &bytes)
        guard count >= 0 else { throw SessionFailure(words: Self.words(of: count)) }
        guard count > 0, let bytes else { return 0 }
        let frame = UnsafeRawBufferPointer(start: bytes, count: count)
        // The client's preface, which is no frame, has another fourth byte.
        guard count > Self.frameHeaderBytes, frame[3] == UInt8(NGHTTP2_HEADERS.rawValue) else {
            room.copyMemory(from: frame)
            return count
        }
        return writeHeaders(frame, into: room)
    }

    /// Writes nghttp2's HEADERS frame with a header block of our own.
    private func writeHeaders(_ frame: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) -> Int {
        let id = Int32(bigEndian: frame.loadUnaligned(fromByteOffset: 5, as: Int32.self)) & .max
        guard let exchange = Self.stream(nghttp2_session_get_stream_user_data(handle, id))?.exchange else {
            preconditionFailure("HEADERS were written for a stream without a request")
        }
        block.removeAll(keepingCapacity: true)
        encoder.encode(exchange.request, exchange.shared, into: &block)
        precondition(block.count <= HTTPRequest.maximumHeaderBytes, "a header block is longer than its frame may be")
        room.copyMemory(from: UnsafeRawBufferPointer(rebasing: frame[..<Self.frameHeaderBytes]))
        room[0] = 0
        room[1] = UInt8(block.count >> 8)
        room[2] = UInt8(truncatingIfNeeded: block.count)
        block.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(rebasing: room[Self.frameHeaderBytes...]).copyMemory(from: $0)
        }
        return Self.frameHeaderBytes + block.count
    }

    private static let frameHeaderBytes = 9

    // MARK: - Endings

    /// Takes a request out; `isProcessed`: the server may have processed it.
    private func take(_ stream: RequestStream, isProcessed: Bool) -> (exchange: Exchange, ending: Ending) {
        nghttp2_session_set_stream_user_data(handle, stream.id, nil)
        if let last = active.popLast(), last !== stream {
            active[stream.position] = last
            last.position = stream.position
        }
        spare.append(stream)
        return stream.unload(isProcessed: isProcessed)
    }

    private func tell(_ ended: (exchange: Exchange, ending: Ending)) {
        owner.requestEnded(ended.exchange, ended.ending)
    }

    private static func words(of code: Int) -> String { String(cString: nghttp2_strerror(CInt(clamping: code))) }
}

/// nghttp2 cannot go on: a protocol error, or no memory.
struct SessionFailure: Error {
    let words: String
}

// MARK: - nghttp2's callbacks, all from within `receive` and `collect`

extension Session {
    private static func makeHandle(for session: UnsafeMutableRawPointer) -> OpaquePointer? {
        var callbacks: OpaquePointer?
        var options: OpaquePointer?
        guard nghttp2_session_callbacks_new(&callbacks) == 0, nghttp2_option_new(&options) == 0 else { return nil }
        defer {
            nghttp2_session_callbacks_del(callbacks)
            nghttp2_option_del(options)
        }
        setCallbacks(callbacks)
        // Our requests never refer to a stream that has ended.
        nghttp2_option_set_no_closed_streams(options, 1)
        // Its encoder's table stays empty: header blocks are ours.
        nghttp2_option_set_max_deflate_dynamic_table_size(options, 0)
        var handle: OpaquePointer?
        guard nghttp2_session_client_new2(&handle, callbacks, session, options) == 0 else { return nil }
        return handle
    }

    private static func setCallbacks(_ callbacks: OpaquePointer?) {
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameCount, value, valueCount, _, session in
            Session.from(session).receivedField(
                of: frame, UnsafeBufferPointer(start: name, count: nameCount),
                UnsafeBufferPointer(start: value, count: valueCount))
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, id, bytes, count, session in
            Session.from(session).receivedBody(of: id, UnsafeBufferPointer(start: bytes, count: count))
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, session in
            if let frame { Session.from(session).received(frame) }
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, session in
            if let frame { Session.from(session).sent(frame) }
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, code, session in
            Session.from(session).closed(id, code)
            return 0
        }
    }

    private static func from(_ pointer: UnsafeMutableRawPointer?) -> Session {
        guard let pointer else { preconditionFailure("nghttp2 called back without its session") }
        return Unmanaged<Session>.fromOpaque(pointer).takeUnretainedValue()
    }

    private static func stream(_ pointer: UnsafeMutableRawPointer?) -> RequestStream? {
        pointer.map { Unmanaged<RequestStream>.fromOpaque($0).takeUnretainedValue() }
    }

    private func stream(_ id: Int32) -> RequestStream? {
        Self.stream(nghttp2_session_get_stream_user_data(handle, id))
    }

    private static let readBody: nghttp2_data_source_read_callback = { _, _, room, capacity, flags, source, _ in
        guard let stream = Session.stream(source?.pointee.ptr), let flags else { return 0 }
        let count = stream.read(into: UnsafeMutableRawBufferPointer(start: room, count: capacity))
        if stream.isBodySent { flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue) }
        return count
    }

    private func receivedField(
        of frame: UnsafePointer<nghttp2_frame>?, _ name: UnsafeBufferPointer<UInt8>,
        _ value: UnsafeBufferPointer<UInt8>
    ) {
        guard let frame, let stream = stream(frame.pointee.hd.stream_id) else { return }
        stream.receive(name: name, value: value, wanted: settings.answerFields)
    }

    private func receivedBody(of id: Int32, _ bytes: UnsafeBufferPointer<UInt8>) {
        guard let stream = stream(id), !stream.isTooLong, !stream.receive(bytes) else { return }
        tell(cancel(stream))
    }

    private func received(_ frame: UnsafePointer<nghttp2_frame>) {
        let header = frame.pointee.hd
        switch nghttp2_frame_type(UInt32(header.type)) {
        case NGHTTP2_HEADERS, NGHTTP2_DATA:
            guard let stream = stream(header.stream_id) else { return }
            if UInt32(header.type) == NGHTTP2_HEADERS.rawValue { owner.answerBegan() }
            if header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 { answered(stream) }
        case NGHTTP2_SETTINGS where header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0:
            receivedSettings(frame.pointee.settings)
        case NGHTTP2_GOAWAY:
            let goAway = frame.pointee.goaway
            // Told before nghttp2 closes the streams above the last one.
            lastStream = min(lastStream, goAway.last_stream_id)
            owner.goAwayReceived(code: goAway.error_code)
        default: break
        }
    }

    private func answered(_ stream: RequestStream) {
        stream.isAnswered = true
        // nghttp2 would go on to send a body that nobody waits for.
        if !stream.isBodySent { tell(cancel(stream)) }
    }

    private func receivedSettings(_ frame: nghttp2_settings) {
        for entry in UnsafeBufferPointer(start: frame.iv, count: frame.niv)
        where entry.settings_id == CInt(NGHTTP2_SETTINGS_HEADER_TABLE_SIZE.rawValue) {
            encoder.limitTable(to: Int(entry.value))
        }
        let streams = nghttp2_session_get_remote_settings(handle, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
        owner.settingsReceived(streams: Int(streams))
    }

    private func sent(_ frame: UnsafePointer<nghttp2_frame>) {
        let header = frame.pointee.hd
        guard UInt32(header.type) == NGHTTP2_HEADERS.rawValue else { return }
        stream(header.stream_id)?.sentAt = owner.now
    }

    private func closed(_ id: Int32, _ code: UInt32) {
        guard let stream = stream(id) else { return }
        let isProcessed = id <= lastStream && code != NGHTTP2_REFUSED_STREAM.rawValue
        tell(take(stream, isProcessed: isProcessed))
    }

    /// What nghttp2 makes a header block of, which is replaced before it is sent.
    private static var placeholder: nghttp2_nv {
        let text: StaticString = "a"
        let pointer = UnsafeMutablePointer(mutating: text.utf8Start)
        let flags = UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue)
        return nghttp2_nv(name: pointer, value: pointer, namelen: 1, valuelen: 1, flags: flags)
    }
}
