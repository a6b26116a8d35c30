/// One object of a message, read as Google reads it: a name that the interface does not have is an error.
struct MessageObject {
    let path: String
    private var members: [String: JSONValue] = [:]

    /// Reads `value`; nil if it is left out.
    ///
    /// `names` are those that are known here, in snake case; nil for any name.
    init?(_ value: JSONValue?, path: String, names: Set<String>?) throws(GoogleError) {
        self.path = path
        switch value {
        case nil, .null: return nil
        case .object(let object):
            for (name, value) in object {
                let known = names == nil ? name : Self.snakeCase(name)
                if let names, !names.contains(known) {
                    throw .unreadable(path, "There is no field \"\(name)\" in \(path.isEmpty ? "the request" : path).")
                }
                members[known] = value
            }
        default: throw .unreadable(path, "\(path) must be an object.")
        }
    }

    subscript(name: String) -> JSONValue? { members[name] }

    func place(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    func text(_ name: String) throws(GoogleError) -> String? {
        switch members[name] {
        case nil, .null: return nil
        case .text(let text): return text
        default: throw .unreadable(place(name), "\(place(name)) must be a text.")
        }
    }

    func truth(_ name: String) throws(GoogleError) -> Bool {
        switch members[name] {
        case nil, .null: return false
        case .truth(let truth): return truth
        default: throw .unreadable(place(name), "\(place(name)) must be true or false.")
        }
    }

    func object(_ name: String, names: Set<String>?) throws(GoogleError) -> MessageObject? {
        try MessageObject(members[name], path: place(name), names: names)
    }

    /// All members, each of which must be a text, in the order of their names.
    func texts() throws(GoogleError) -> [(name: String, value: String)] {
        var texts: [(name: String, value: String)] = []
        for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
            guard let text = member.value.text else {
                throw .unreadable(
                    "\(path)[\(index)].value", "The value of \"\(member.key)\" in \(path) must be a text.")
            }
            texts.append((member.key, text))
        }
        return texts
    }

    /// The interface takes its names in camel case too.
    private static func snakeCase(_ name: String) -> String {
        var snake = ""
        for character in name {
            snake += character.isUppercase ? "_" + character.lowercased() : String(character)
        }
        return snake
    }
}
