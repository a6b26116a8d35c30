import Hummingbird

/// `/` and `/docs`: what a person looks at in a browser.
struct PageRoutes: Sendable {
    private let status = Page.status
    private let documentation = Page.documentation

    func add(to router: Router<APIRequestContext>) {
        router.get("/") { _, _ in status.response }
        router.get("docs") { request, _ in
            // The router takes `/docs/` too, where a browser would look for the page's neighbours under `/docs/`.
            request.uri.path.hasSuffix("/") ? .redirect(to: "../docs", type: .permanent) : documentation.response
        }
    }
}
