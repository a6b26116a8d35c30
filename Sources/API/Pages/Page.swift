import Crypto
import FoundationEssentials
import HTTPTypes
import Hummingbird

/// One HTML page that needs nothing from elsewhere: its style and its script stand in it.
///
/// Its policy names both by their digests, so that a browser runs nothing else, loads nothing, and talks to this server
/// only.
struct Page: Sendable {
    let html: String
    /// The value of `Content-Security-Policy`.
    let policy: String

    /// `style` and `script` are CSS and JavaScript, `body` is HTML; without a script the page may run none.
    init(title: String, style: String, script: String? = nil, body: String) {
        html = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <link rel="icon" href="data:,">
            <title>\(title)</title>
            <style>\(style)</style>
            </head>
            <body>
            \(body)
            \(script.map { "<script>\($0)</script>" } ?? "")
            </body>
            </html>

            """
        policy = [
            "default-src 'none'", "script-src \(script.map(Page.digest) ?? "'none'")",
            "style-src \(Page.digest(of: style))",
            "connect-src 'self'", "img-src data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        ].joined(separator: "; ")
    }

    var response: Response {
        var headers: HTTPFields = [
            .cacheControl: "no-cache", .contentSecurityPolicy: policy, .xContentTypeOptions: "nosniff",
        ]
        headers[.referrerPolicy] = "no-referrer"
        return JSONAnswer.response(.ok, text: html, contentType: "text/html; charset=utf-8", headers: headers)
    }

    /// As a policy names a source by what it is.
    private static func digest(of source: String) -> String {
        "'sha256-\(Data(SHA256.hash(data: Data(source.utf8))).base64EncodedString())'"
    }
}
