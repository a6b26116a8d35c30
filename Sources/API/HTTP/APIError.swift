import HTTPTypes

/// An answer that is not a success: a fitting status and one clear sentence, as `{"error":"…"}`.
struct APIError: Error, Equatable {
    let status: HTTPResponse.Status
    let message: String
    var headers: HTTPFields = [:]

    static func badRequest(_ message: String) -> APIError { APIError(status: .badRequest, message: message) }

    static func unauthorized(_ message: String) -> APIError { APIError(status: .unauthorized, message: message) }
}
