package import Kaspa

/// The graph of blocks: who is whose parent, and what each block merges.
///
/// Blocks get numbers in the order in which they are added, parents first, so that a greater number is never in a
/// smaller one's past. Adding costs time in the number of blocks merged and their parents, not in the graph's size.
package struct BlockGraph: Sendable {
    /// Where a block stands, given its parents.
    package struct Placement: Hashable, Sendable {
        /// The parent with the greatest blue work; the greater hash decides between equals.
        package let selectedParent: Int

        /// What is in the block's past and not in its selected parent's: the selected parent, then the others by blue
        /// work and hash.
        package let merged: [Int]
    }

    /// A block in the graph.
    package struct Node: Sendable {
        package let hash: BlockHash
        package let blueWork: BlueWork
        package let parents: [Int]
        /// Nil for the block at which the graph starts.
        package let placement: Placement?
    }

    private var nodes: [Node] = []
    private var numbers: [BlockHash: Int] = [:]

    /// The number of the earliest block that is remembered.
    package private(set) var firstNumber = 0

    /// Starts with one block, whose parents do not matter.
    package init(start: BlockHash, blueWork: BlueWork) {
        nodes = [Node(hash: start, blueWork: blueWork, parents: [], placement: nil)]
        numbers = [start: 0]
    }

    /// The number that the next block gets.
    package var nextNumber: Int { firstNumber + nodes.count }

    /// The block with a number between `firstNumber` and `nextNumber`, the latter excluded.
    package subscript(number: Int) -> Node { nodes[number - firstNumber] }

    /// The number of a block; nil for one never added or forgotten.
    package func number(of hash: BlockHash) -> Int? { numbers[hash] }

    /// Says where a block with these parents stands; throws `unknownParent` if there is none, or if one or something
    /// else that the block would merge is not remembered.
    package func placement(parents: [BlockHash]) throws(DerivationError) -> Placement {
        var known: [Int] = []
        for parent in parents {
            guard let number = numbers[parent] else {
                throw DerivationError(.unknownParent, "The parent \(parent) is not known.")
            }
            known.append(number)
        }
        guard let selected = known.max(by: precedes) else {
            throw DerivationError(.unknownParent, "A block has no parents.")
        }
        let others = try mergedBesides(selected, parents: known).sorted(by: precedes)
        return Placement(selectedParent: selected, merged: [selected] + others)
    }

    /// Adds a block and returns its number; throws `repeatedBlock` or what `placement(parents:)` throws.
    package mutating func add(
        _ hash: BlockHash, blueWork: BlueWork, parents: [BlockHash]
    ) throws(DerivationError) -> Int {
        guard numbers[hash] == nil else { throw DerivationError(.repeatedBlock, "Block \(hash) came twice.") }
        let placement = try placement(parents: parents)
        let number = nextNumber
        numbers[hash] = number
        nodes.append(
            Node(hash: hash, blueWork: blueWork, parents: parents.compactMap { numbers[$0] }, placement: placement))
        return number
    }

    /// Whether the first block has less blue work, or as much and the smaller hash.
    package func precedes(_ first: Int, _ second: Int) -> Bool {
        let (left, right) = (self[first], self[second])
        return left.blueWork == right.blueWork ? left.hash < right.hash : left.blueWork < right.blueWork
    }

    /// Forgets all blocks below a number.
    package mutating func forget(below number: Int) {
        let count = min(max(number - firstNumber, 0), nodes.count - 1)
        for node in nodes.prefix(count) { numbers[node.hash] = nil }
        nodes.removeFirst(count)
        firstNumber += count
    }

    /// The blocks in the parents' past, or parents themselves, that are neither the selected parent nor in its past.
    private func mergedBesides(_ selected: Int, parents: [Int]) throws(DerivationError) -> [Int] {
        // From the greatest number down: once a block's turn comes, all its children have spoken.
        var inSelectedPast: [Int: Bool] = [selected: true]
        var queue = SortedNumbers([selected] + parents.filter { $0 != selected })
        var undecided = Set(parents).subtracting([selected]).count
        for parent in parents where parent != selected { inSelectedPast[parent] = false }
        var merged: [Int] = []
        while undecided > 0, let number = queue.removeGreatest() {
            let past = inSelectedPast.removeValue(forKey: number) ?? false
            if !past {
                undecided -= 1
                merged.append(number)
            }
            for parent in self[number].parents {
                guard parent >= firstNumber else {
                    if past { continue }
                    throw DerivationError(.unknownParent, "A block merges what is not remembered any more.")
                }
                switch inSelectedPast[parent] {
                case nil:
                    queue.insert(parent)
                    inSelectedPast[parent] = past
                    if !past { undecided += 1 }
                case false? where past:
                    inSelectedPast[parent] = true
                    undecided -= 1
                default:
                    break
                }
            }
        }
        return merged
    }
}

/// Distinct numbers, of which the greatest can be taken: a binary heap.
private struct SortedNumbers {
    private var heap: [Int] = []

    init(_ numbers: [Int]) {
        for number in Set(numbers) { insert(number) }
    }

    mutating func insert(_ number: Int) {
        heap.append(number)
        var child = heap.count - 1
        while child > 0, heap[(child - 1) / 2] < heap[child] {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func removeGreatest() -> Int? {
        guard let greatest = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return greatest }
        heap[0] = last
        var parent = 0
        while true {
            var largest = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child] > heap[largest] {
                largest = child
            }
            if largest == parent { return greatest }
            heap.swapAt(parent, largest)
            parent = largest
        }
    }
}
