import Hummingbird

/// `/`, `/docs` and `/guide`: what a person looks at in a browser.
struct PageRoutes: Sendable {
    func add(to router: Router<APIRequestContext>) {
        let status = Page.status
        router.get("/") { _, _ in status.response }
        for (name, page) in [("docs", Page.documentation), ("guide", Page.guide)] {
            router.get(RouterPath(name)) { request, _ in
                // The router takes `/docs/` too, where a browser would look for the page's neighbours under `/docs/`.
                request.uri.path.hasSuffix("/") ? .redirect(to: "../\(name)", type: .permanent) : page.response
            }
        }
    }
}
