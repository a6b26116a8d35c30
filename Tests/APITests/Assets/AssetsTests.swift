import APIAssets
import Foundation
import Testing

@Suite("Assets")
struct AssetsTests {
    private static let folder = (1...4).reduce(URL(filePath: #filePath)) { file, _ in file.deletingLastPathComponent() }
        .appendingPathComponent("Sources/API/Assets")

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
    }

    @Test("every file of the pages' folder is built in as it is, under its name")
    func pages() throws {
        let names = try FileManager.default.contentsOfDirectory(
            atPath: Self.folder.appendingPathComponent("Pages").path)
        #expect(Set(names) == Set(Assets.pages.keys))
        for name in names { #expect(try Assets.pages[name] == Self.text("Pages/\(name)"), "\(name)") }
    }

    @Test("the OpenAPI document and the operator guide are built in as they are")
    func documents() throws {
        #expect(try Assets.openAPI == Self.text("openapi.json"))
        #expect(try Assets.operatorGuide == Self.text("../../../deploy/docs/operator-guide.md"))
    }

    @Test("no script or style sheet has a text that would end its element in a page")
    func elements() {
        for (name, text) in Assets.pages where !name.hasSuffix(".html") {
            #expect(text.firstMatch(of: /<\/(?:script|style)|<!--/.ignoresCase()) == nil, "\(name)")
        }
    }
}
