/// The names of spans that have a fixed one; requests are named by method and template.
package enum SpanName {
    /// A question for the virtual chain, or several while the tip is far.
    package static let chainFetch = "kasia.chain.fetch"
    /// What the answer leads to, from its arrival to the rows on disk.
    package static let chainStep = "kasia.chain.step"
    /// The answer is read: whose operations, who sends, who receives.
    package static let chainBuild = "kasia.chain.build"
    /// The batch of operations, acceptances, events and cursor.
    package static let chainWrite = "kasia.chain.write"
    /// Operations seen in a block are kept as pending.
    package static let blockWrite = "kasia.block.write"
    /// One step of an event: some watchers become deliveries.
    package static let fanOut = "kasia.push.fan_out"
    /// One attempt at a delivery.
    package static let delivery = "kasia.push.delivery"
    /// All fixed names.
    package static let all = [chainFetch, chainStep, chainBuild, chainWrite, blockWrite, fanOut, delivery]
}
