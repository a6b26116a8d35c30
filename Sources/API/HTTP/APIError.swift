import HTTPTypes

/// An error answer: a status, one clear sentence and a code, as `{"error":"…","code":"…"}`.
struct APIError: Error, Equatable {
    let status: HTTPResponse.Status
    let message: String
    let headers: HTTPFields
    let code: ErrorCode
    /// The text that should have been signed.
    ///
    /// It holds no secret.
    let expectedText: String?

    /// Without a code, it follows from the status.
    init(
        status: HTTPResponse.Status, message: String, headers: HTTPFields = [:], code: ErrorCode? = nil,
        expectedText: String? = nil
    ) {
        self.status = status
        self.message = message
        self.headers = headers
        self.code = code ?? ErrorCode(status)
        self.expectedText = expectedText
    }

    static func badRequest(_ message: String) -> APIError { APIError(status: .badRequest, message: message) }

    static func unauthorized(
        _ message: String, _ code: ErrorCode = .authRequired, expectedText: String? = nil
    ) -> APIError {
        APIError(status: .unauthorized, message: message, code: code, expectedText: expectedText)
    }
}
