import Kaspa

/// The filter of who watches no scripts: only payloads decide.
package struct NothingWatched: ScriptFilter {
    package init() {}

    package var isEmpty: Bool { true }

    package func mayContain(_ script: UnsafeRawBufferPointer) -> Bool { false }
}
