import Testing

@testable import KasiaPushStore

@Suite struct StoreErrorTests {
    @Test(arguments: StoreError.Code.allCases) func `every code has sentences of its own`(code: StoreError.Code) {
        #expect(code.sentence.hasSuffix("."))
        #expect(code.sentence.first?.isUppercase == true)
        #expect(StoreError.Code.allCases.filter { $0.sentence == code.sentence } == [code])
        #expect(StoreError(code).description == code.sentence)
    }

    @Test func `facts follow the sentence`() {
        #expect(
            StoreError(.diskFull, "database or disk is full", sqliteCode: 13).description
                == "There is no space left. Nothing was changed; free some space and try again. "
                + "(database or disk is full, SQLite 13)")
    }

    @Test(
        arguments: [
            (5, StoreError.Code.locked), (261, .locked), (6, .locked), (15, .locked), (13, .diskFull), (11, .corrupt),
            (26, .corrupt), (8, .readOnly), (1032, .readOnly), (14, .cannotOpen), (1550, .symbolicLink),
            (3, .cannotOpen),
            (10, .unreadable), (2570, .unreadable), (1, .unexpected), (19, .unexpected),
        ] as [(Int32, StoreError.Code)])
    func `a result of SQLite has its code`(result: Int32, code: StoreError.Code) {
        #expect(StoreError.Code(sqlite: result) == code)
    }
}
