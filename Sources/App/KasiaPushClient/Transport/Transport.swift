/// Carries requests to the service; `URLSessionTransport` is the default.
///
/// A transport follows no redirects, keeps no cookies and caches nothing. It reports any HTTP status as an answer; its
/// errors say that there was no answer. Cancelling the calling task ends the request.
public protocol Transport: Sendable {
    /// Sends a request and reads the whole answer, at most `request.maximumBytes` of body.
    func answer(to request: TransportRequest) async throws(TransportError) -> TransportAnswer

    /// Sends a request and returns as soon as the answer's head is there; the body comes in pieces.
    func stream(_ request: TransportRequest) async throws(TransportError) -> TransportStream
}
