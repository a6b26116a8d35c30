import APIAssets
import Hummingbird

/// `/`, `/docs` and `/guide`: the pages for a browser.
struct PageRoutes: Sendable {
    func add(to router: Router<APIRequestContext>) {
        let status = Page.status
        router.get("/") { _, _ in status.response }
        for (name, page) in [("docs", Page.documentation), ("guide", Page.guide)] {
            router.get(RouterPath(name)) { request, _ in
                // The router accepts `/docs/` too, but there a browser would resolve the page's links below `/docs/`.
                request.uri.path.hasSuffix("/") ? .redirect(to: "../\(name)", type: .permanent) : page.response
            }
        }
    }
}

extension Page {
    /// `/`: the state of the service, which the browser reads from `status/stream`.
    static let status = builtIn("status.html")
    /// `/docs`: the REST API, which the browser reads from `openapi.json`.
    static let documentation = builtIn("docs.html")
    /// `/guide`: the operator guide, to which the status page links.
    static let guide = builtIn(
        "guide.html",
        filling: ["chapters": GuidePage.chapters(of: GuidePage.markdown), "guide": GuidePage.markdown.html])

    /// A page from the built-in files.
    ///
    /// If it cannot be built, that is a programming error.
    private static func builtIn(_ name: String, filling texts: [String: String] = [:]) -> Page {
        do {
            return try Page(name, filling: texts)
        } catch {
            fatalError("the page \(name) cannot be built: \(error)")
        }
    }
}

/// The parts of `/guide` that are made from the guide's text.
enum GuidePage {
    static let markdown = GuideMarkdown(Assets.operatorGuide)

    /// Links to the chapters, as items of a list.
    static func chapters(of guide: GuideMarkdown) -> String {
        guide.headings.filter { $0.level == 2 }.map {
            "<li><a href=\"#\($0.anchor.htmlEscaped)\">\($0.title.htmlEscaped)</a></li>"
        }.joined(separator: "\n")
    }
}
