import Foundation
import Testing

@Suite("The app developer guide")
struct GuideTests {
    private static func regions() throws -> [Snippet] { try Guide.files().flatMap { Guide.regions(of: $0.text) } }

    @Test("shows only Swift that is compiled, line for line")
    func blocksAreRegions() throws {
        let regions = try Self.regions().map(\.code)
        let blocks = Guide.blocks("swift", of: try Guide.text())
        #expect(blocks.count > 10)
        for block in blocks {
            #expect(regions.contains(block.code), "no region has exactly this:\n\(block.code)")
        }
    }

    @Test("shows every region once")
    func regionsAreShown() throws {
        let blocks = Guide.blocks("swift", of: try Guide.text()).map(\.code)
        for region in try Self.regions() {
            #expect(blocks.count { $0 == region.code } == 1, "the region \(region.name)")
            #expect(!region.code.isEmpty, "the region \(region.name)")
        }
    }

    @Test("names regions once, and ends each")
    func marks() throws {
        let names = try Self.regions().map(\.name)
        #expect(Set(names).count == names.count)
        for file in try Guide.files() {
            let lines = file.text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            let regions = Guide.regions(of: file.text).count
            #expect(lines.count { $0.hasPrefix("// snippet: ") } == regions, "\(file.name)")
            #expect(lines.count { $0 == "// end" } == regions, "\(file.name)")
        }
    }

    @Test("leaves no code block without its language, and ends each")
    func fences() throws {
        let fences = try Guide.text().split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { $0.hasPrefix("```") }
        #expect(fences.count.isMultiple(of: 2))
        let languages: Set = ["```swift", "```sh", "```json", "```js", "```kotlin", "```xml", "```text"]
        for (index, fence) in fences.enumerated() {
            #expect(index.isMultiple(of: 2) ? languages.contains(fence) : fence == "```", "\(fence)")
        }
    }

    @Test("has no link that leads nowhere")
    func links() throws {
        let guide = try Guide.text()
        let anchors = Guide.anchors(of: guide)
        #expect(Set(anchors).count == anchors.count)
        for link in Guide.links(of: guide) where !link.hasPrefix("https://") {
            if link.hasPrefix("#") {
                #expect(anchors.contains(String(link.dropFirst())), "\(link)")
            } else {
                let file = URL(fileURLWithPath: link, relativeTo: Guide.folder.appendingPathComponent("x"))
                #expect(FileManager.default.fileExists(atPath: file.path), "\(link)")
            }
        }
    }

    @Test("keeps the sections that other files name")
    func sections() throws {
        let anchors = Set(Guide.anchors(of: try Guide.text()))
        for section in [
            "sign", "the-text-of-a-registration", "what-the-device-is-told-of", "receive", "broadcasts",
            "fetch-messages", "fetch-what-was-missed", "lists-for-the-kachat-apps", "ring", "check-a-push",
        ] {
            #expect(anchors.contains(section), "\(section)")
        }
    }

    @Test(
        "names the package's products",
        arguments: ["KasiaPushCore", "KasiaPushSecp256k1", "KasiaPushClient", "KasiaPushStore"])
    func products(name: String) throws {
        let manifest = try String(contentsOf: Guide.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        #expect(manifest.contains("\"\(name)\""))
        #expect(try Guide.text().contains("`\(name)`"))
    }

    @Test("a snippet loses the indentation that all its lines have, and no more")
    func indentation() {
        let text = "x\n  // snippet: a\n    if b {\n\n        c\n    }\n  // end\n"
        #expect(Guide.regions(of: text) == [Snippet("a", ["if b {", "", "    c", "}"])])
        #expect(Guide.regions(of: text).first?.code == "if b {\n\n    c\n}")
        #expect(Guide.regions(of: "// snippet: a\nb\n").isEmpty)
        #expect(Guide.blocks("swift", of: "```sh\n```\n```swift\nb\n```").map(\.code) == ["b"])
        #expect(Guide.anchors(of: "# A `b`, c?\n```sh\n# no\n```\n### D-e") == ["a-b-c", "d-e"])
    }
}
