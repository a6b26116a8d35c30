import Foundation
import KasiaPushCore
import KasiaPushSecp256k1
import KasiaPushStore

// What a notification extension does once, in a process of its own: opens the store, reads the push, opens and composes
// it, and writes it down. Prints the text, then in kB the most memory that was resident, and what of it at the end has no
// file behind it. Without arguments it only does the latter.

let arguments = CommandLine.arguments.dropFirst()
if arguments.count == 4 {
    let (path, address, secret, push) = (
        arguments[1], arguments[2], arguments[3], Array(arguments[4].utf8)
    )
    let store = try await PushStore.open(path: path)
    let payload = try PushPayload(json: push)
    let bytes = stride(from: 0, to: secret.utf8.count, by: 2).compactMap { offset in
        UInt8(secret.dropFirst(offset).prefix(2), radix: 16)
    }
    guard let opener = MessageOpener(address: address, secret: bytes, curve: LibSecp256k1()),
        let details = payload.details
    else { exit(1) }
    let opened = try opener.open(payload)
    let composer = NotificationComposer(settings: NotificationSettings(ownAddresses: [address]))
    guard case .show(let notification) = try composer.compose(payload, opened: opened, contacts: store.contacts) else {
        exit(1)
    }
    _ = try await store.pending.add(
        PendingMessage(transactionID: details.transactionID, text: opened.text, receivedAt: 1))
    await store.close()
    print(notification.body)
}
let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
for line in status.split(separator: "\n") where line.hasPrefix("VmHWM:") || line.hasPrefix("RssAnon:") {
    let kilobytes = line.filter(\.isNumber)
    print(kilobytes)
}
