import APIAssets
import Crypto
import FoundationEssentials
import HTTPTypes
import Hummingbird

/// A self-contained HTML page, with its style sheets and scripts inside.
///
/// Its content security policy names them by digest. So a browser runs nothing else, loads nothing, and connects only
/// to this server.
struct Page: Sendable {
    let html: String
    /// The value of `Content-Security-Policy`.
    let policy: String

    /// Inserts the style sheets and scripts that an HTML file refers to.
    ///
    /// A comment of one word, such as `<!-- guide -->`, is a placeholder for the text under this name. Throws a
    /// `PageError` if a file is missing, or if placeholders and texts do not match.
    init(
        _ name: String, filling texts: [String: String] = [:], from files: [String: String] = Assets.pages
    ) throws {
        func file(_ name: some StringProtocol) throws -> String {
            guard let text = files[String(name)] else { throw PageError.missingFile(String(name)) }
            return text
        }
        var unused = Set(texts.keys)
        let filled = try file(name).replacing(/<!-- ([a-z]+) -->/) { match in
            let placeholder = String(match.1)
            guard let text = texts[placeholder] else { throw PageError.missingText(placeholder) }
            unused.remove(placeholder)
            return text
        }
        if let placeholder = unused.min() { throw PageError.missingPlaceholder(placeholder) }
        var (styles, scripts) = ([String](), [String]())
        html = try filled.replacing(/<link rel="stylesheet" href="([^"]*)">/) { match in
            let style = try file(match.1)
            styles.append(Page.digest(of: style))
            return "<style>\(style)</style>"
        }.replacing(/<script src="([^"]*)"><\/script>/) { match in
            let script = try file(match.1)
            scripts.append(Page.digest(of: script))
            return "<script>\(script)</script>"
        }
        policy = Page.policy(styles: styles, scripts: scripts)
    }

    /// The content security policy, which forbids everything that it does not list.
    private static func policy(styles: [String], scripts: [String]) -> String {
        func allowed(_ digests: [String]) -> String { digests.isEmpty ? "'none'" : digests.joined(separator: " ") }
        return [
            "default-src 'none'", "script-src \(allowed(scripts))", "style-src \(allowed(styles))",
            "connect-src 'self'", "img-src data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        ].joined(separator: "; ")
    }

    /// A source's digest in a policy.
    private static func digest(of source: String) -> String {
        "'sha256-\(Data(SHA256.hash(data: Data(source.utf8))).base64EncodedString())'"
    }

    var response: Response {
        var headers: HTTPFields = [
            .cacheControl: "no-cache", .contentSecurityPolicy: policy, .xContentTypeOptions: "nosniff",
        ]
        headers[.referrerPolicy] = "no-referrer"
        return JSONAnswer.response(.ok, text: html, contentType: "text/html; charset=utf-8", headers: headers)
    }
}

/// A mistake in the files of a page.
enum PageError: Error, Equatable, CustomStringConvertible {
    /// A file that is referred to is not among the assets.
    case missingFile(String)
    /// A placeholder in the page has no text.
    case missingText(String)
    /// A text has no placeholder in the page.
    case missingPlaceholder(String)

    var description: String {
        switch self {
        case .missingFile(let name): "there is no file \(name)"
        case .missingText(let placeholder): "nothing is given for the placeholder <!-- \(placeholder) -->"
        case .missingPlaceholder(let placeholder): "the page has no placeholder <!-- \(placeholder) -->"
        }
    }
}
