internal import CCurl

/// The header lines that all requests under one provider token share; each request links its own in front of them.
///
/// `@unchecked`: the lists are made once and only read afterwards, by libcurl too. They live as long as an exchange
/// refers to them, which is longer than libcurl does.
final class HeaderList: @unchecked Sendable {
    /// Topic and push type of each kind, before the lines that both share.
    private let alert: UnsafeMutablePointer<curl_slist>
    private let voip: UnsafeMutablePointer<curl_slist>
    /// The last line that is a VoIP push's alone.
    private let voipEnd: UnsafeMutablePointer<curl_slist>
    /// The token's place in the order of the tokens used: 1, 2, 3 and so on.
    let generation: Int

    init(token: ProviderToken, generation: Int, topic: String) throws(CurlError) {
        alert = try Self.list([
            "apns-topic: \(topic)", "apns-push-type: alert", "authorization: bearer \(token.jwt)", "apns-priority: 10",
            "content-type: application/json",
            // Without a value: libcurl's own lines are left out.
            "Accept:", "Expect:",
        ])
        do {
            voip = try Self.list(["apns-topic: \(topic).voip", "apns-push-type: voip"])
        } catch {
            curl_slist_free_all(alert)
            throw error
        }
        voipEnd = voip.pointee.next ?? voip
        voipEnd.pointee.next = alert.pointee.next?.pointee.next
        self.generation = generation
    }

    /// The first line for requests of this kind.
    func first(for kind: APNsRequest.Kind) -> UnsafeMutablePointer<curl_slist> {
        switch kind {
        case .alert: alert
        case .voip: voip
        }
    }

    private static func list(_ lines: [String]) throws(CurlError) -> UnsafeMutablePointer<curl_slist> {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = curl_slist_append(list, line) else {
                curl_slist_free_all(list)
                throw CurlError(code: CURLE_OUT_OF_MEMORY)
            }
            list = longer
        }
        guard let list else { throw CurlError(code: CURLE_OUT_OF_MEMORY) }
        return list
    }

    deinit {
        // The shared lines are freed once, with the alert's.
        voipEnd.pointee.next = nil
        curl_slist_free_all(voip)
        curl_slist_free_all(alert)
    }
}

/// The header lines of one request, in memory that its transfer uses again and again.
///
/// libcurl's list is a linked one, so three nodes of ours in front of the shared list make a whole list without
/// allocating or copying the rest.
struct RequestHeaders: ~Copyable {
    /// Room for one line: the longest name (17 bytes, colon and space), the longest field, and the zero byte.
    private static let lineCapacity = APNsRequest.maximumFieldBytes + 32
    private let nodes = UnsafeMutablePointer<curl_slist>.allocate(capacity: 3)
    private let text = UnsafeMutablePointer<CChar>.allocate(capacity: 3 * lineCapacity)

    /// Writes the request's lines and links the shared ones behind them; valid until the next call.
    func list(for request: APNsRequest, followedBy shared: HeaderList) -> UnsafeMutablePointer<curl_slist> {
        let rest = shared.first(for: request.kind)
        write("apns-id: ", request.id, at: 0, next: nodes + 1)
        switch request.kind {
        case .alert:
            write("apns-expiration: ", String(request.expiration), at: 1, next: nodes + 2)
            write("apns-collapse-id: ", request.collapseID, at: 2, next: rest)
        case .voip:
            write("apns-expiration: ", "0", at: 1, next: rest)
        }
        return nodes
    }

    private func write(
        _ name: StaticString, _ value: String, at index: Int, next: UnsafeMutablePointer<curl_slist>
    ) {
        let line = text + index * Self.lineCapacity
        var length = 0
        name.withUTF8Buffer { bytes in
            for byte in bytes {
                line[length] = CChar(bitPattern: byte)
                length += 1
            }
        }
        // Callers have checked the fields' lengths; the bound here keeps a mistake from writing past the line.
        for byte in value.utf8 where length < Self.lineCapacity - 1 {
            line[length] = CChar(bitPattern: byte)
            length += 1
        }
        line[length] = 0
        (nodes + index).initialize(to: curl_slist(data: line, next: next))
    }

    deinit {
        nodes.deallocate()
        text.deallocate()
    }
}
