/// The files of this folder, which SwiftPM builds into the program.
///
/// A test compares them with the folder, so that none is left out.
package enum Assets {
    /// The OpenAPI document, for mainnet.
    package static let openAPI = text(PackageResources.openapi_json)

    /// The operator guide in Markdown, through a symbolic link to the file in `deploy/docs`.
    package static let operatorGuide = text(PackageResources.operator_guide_md)

    /// The files of `Pages` by name.
    package static let pages = [
        "docs-examples.js": PackageResources.docs_examples_js, "docs-requests.js": PackageResources.docs_requests_js,
        "docs-schemas.js": PackageResources.docs_schemas_js, "docs.css": PackageResources.docs_css,
        "docs.html": PackageResources.docs_html, "docs.js": PackageResources.docs_js,
        "guide.css": PackageResources.guide_css, "guide.html": PackageResources.guide_html,
        "pages.css": PackageResources.pages_css, "pages.js": PackageResources.pages_js,
        "status-format.js": PackageResources.status_format_js, "status-plots.js": PackageResources.status_plots_js,
        "status.css": PackageResources.status_css, "status.html": PackageResources.status_html,
        "status.js": PackageResources.status_js,
    ].mapValues(text)

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
