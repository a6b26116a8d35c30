/// An error of Google's token endpoint (RFC 6749, 5.2).
struct TokenEndpointError: Error, Equatable {
    let code: String
    let description: String

    static func invalidGrant(_ description: String) -> TokenEndpointError {
        TokenEndpointError(code: "invalid_grant", description: description)
    }

    static func invalidRequest(_ description: String) -> TokenEndpointError {
        TokenEndpointError(code: "invalid_request", description: description)
    }

    var json: String {
        "{\"error\":\(JSONText.quoted(code)),\"error_description\":\(JSONText.quoted(description))}"
    }

    var answer: SandboxAnswer { SandboxAnswer(status: 400, reason: code, body: json) }
}
