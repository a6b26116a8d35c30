import Hummingbird

/// `/` and `/docs`: what a person looks at in a browser.
struct PageRoutes: Sendable {
    private let status = Page.status
    private let documentation = Page.documentation

    func add(to router: Router<APIRequestContext>) {
        router.get("/") { _, _ in status.response }
        router.get("docs") { _, _ in documentation.response }
    }
}
