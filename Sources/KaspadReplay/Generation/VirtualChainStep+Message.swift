private import Kaspa
package import KaspaNode
package import Recordings

extension VirtualChainStep {
    /// The step as a recording holds it, in the shape of a node's answer at verbosity HIGH.
    ///
    /// Parents, Merkle roots, signatures and whole-transaction hashes, which nobody here reads, are left out.
    package var message: Recording_VirtualChainChange {
        var change = Recording_VirtualChainChange()
        change.removedChainBlockHashes = removed.map(\.hash.description)
        change.added = added.map(\.message)
        return change
    }
}

extension ChainBlock {
    /// The chain block with what it accepts, as a node answers at verbosity HIGH.
    package var message: Protowire_RpcChainBlockAcceptedTransactions {
        var message = Protowire_RpcChainBlockAcceptedTransactions()
        message.chainBlockHeader.hash = header.hash
        message.chainBlockHeader.version = header.version
        message.chainBlockHeader.timestamp = header.timestamp
        message.chainBlockHeader.bits = header.bits
        message.chainBlockHeader.nonce = header.nonce
        message.chainBlockHeader.daaScore = header.daaScore
        message.chainBlockHeader.blueWork = header.blueWork
        message.chainBlockHeader.blueScore = header.blueScore
        message.acceptedTransactions = accepted.map(\.message)
        return message
    }
}

extension AcceptedTransaction {
    /// The transaction as a node answers at verbosity HIGH.
    fileprivate var message: Protowire_RpcOptionalTransaction {
        let body = transaction.message
        var message = Protowire_RpcOptionalTransaction()
        message.inputs = zip(body.inputs, spent).map { input, spent in
            var message = Protowire_RpcOptionalTransactionInput()
            message.previousOutpoint.transactionID = input.previousOutpoint.transactionID
            message.previousOutpoint.index = input.previousOutpoint.index
            message.sequence = input.sequence
            message.sigOpCount = input.sigOpCount
            message.verboseData.utxoEntry = spent.message
            return message
        }
        message.outputs = body.outputs.map { output in
            var message = Protowire_RpcOptionalTransactionOutput()
            message.value = output.amount
            message.scriptPublicKey = output.scriptPublicKey
            if output.hasVerboseData {
                message.verboseData.scriptPublicKeyType = output.verboseData.scriptPublicKeyType
                message.verboseData.scriptPublicKeyAddress = output.verboseData.scriptPublicKeyAddress
            }
            return message
        }
        message.payload = body.payload
        message.verboseData.transactionID = body.verboseData.transactionID
        message.verboseData.blockHash = block.description
        message.verboseData.blockTime = blockTime
        return message
    }
}

extension SpendableOutput {
    /// The output as the input that spends it shows it.
    fileprivate var message: Protowire_RpcOptionalUtxoEntry {
        var message = Protowire_RpcOptionalUtxoEntry()
        message.amount = output.amount
        message.scriptPublicKey = output.scriptPublicKey
        message.isCoinbase = isCoinbase
        if output.hasVerboseData {
            message.verboseData.scriptPublicKeyType = output.verboseData.scriptPublicKeyType
            message.verboseData.scriptPublicKeyAddress = output.verboseData.scriptPublicKeyAddress
        }
        return message
    }
}
