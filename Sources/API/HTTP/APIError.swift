import HTTPTypes

/// An answer that is not a success: a fitting status, one clear sentence and a code, as `{"error":"…","code":"…"}`.
struct APIError: Error, Equatable {
    let status: HTTPResponse.Status
    let message: String
    let headers: HTTPFields
    let code: ErrorCode
    /// The text that a signature should have been made of; it holds no secret.
    let expectedText: String?

    /// Without a code, the status says which.
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
