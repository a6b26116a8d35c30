/// A queue whose two ends cost constant time on average; the owner bounds it.
struct FIFO<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { head == elements.count }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func append(contentsOf others: [Element]) {
        for other in others { elements.append(other) }
    }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 1024, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Takes out those that are meant, in order; the others keep theirs.
    mutating func removeAll(where isMeant: (Element) -> Bool) -> [Element] {
        // Nothing is moved when there is nothing to take.
        guard elements[head...].contains(where: { $0.map(isMeant) ?? false }) else { return [] }
        let all = removeAll()
        append(contentsOf: all.filter { !isMeant($0) })
        return all.filter(isMeant)
    }

    /// Everything in order; the queue is empty afterwards.
    mutating func removeAll() -> [Element] {
        defer { (elements, head) = ([], 0) }
        return elements[head...].compactMap { $0 }
    }
}
