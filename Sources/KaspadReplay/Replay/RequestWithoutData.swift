/// The requests of kaspad's protocol that no recording has data for; the raw value is the field's number in
/// KaspadRequest, and the response's is one more.
enum RequestWithoutData: UInt64, CaseIterable, Sendable {
    case submitBlock = 1003
    case getBlockTemplate = 1005
    case getPeerAddresses = 1010
    case getMempoolEntry = 1014
    case getConnectedPeerInfo = 1016
    case addPeer = 1018
    case submitTransaction = 1020
    case getSubnetwork = 1027
    case resolveFinalityConflict = 1037
    case notifyFinalityConflict = 1039
    case getMempoolEntries = 1043
    case shutdown = 1045
    case getHeaders = 1047
    case notifyUtxosChanged = 1049
    case getUtxosByAddresses = 1052
    case notifySinkBlueScoreChanged = 1056
    case ban = 1059
    case unban = 1061
    case stopNotifyingUtxosChanged = 1065
    case notifyPruningPointUtxoSetOverride = 1067
    case stopNotifyingPruningPointUtxoSetOverride = 1070
    case estimateNetworkHashesPerSecond = 1072
    case getBalanceByAddress = 1077
    case getBalancesByAddresses = 1079
    case notifyNewBlockTemplate = 1081
    case getMempoolEntriesByAddresses = 1084
    case getCoinSupply = 1086
    case getMetrics = 1090
    case getDaaScoreTimestampEstimate = 1096
    case submitTransactionReplacement = 1100
    case getConnections = 1102
    case getSystemInfo = 1104
    case getFeeEstimateExperimental = 1108
    case getCurrentBlockColor = 1110

    /// The last number of a response that this table or `proto/kaspad.proto` knows; a later node's requests come after it.
    static let lastKnownNumber: UInt64 = 1115
}
