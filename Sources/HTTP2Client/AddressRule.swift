/// Which addresses may be connected to, whatever name led there.
package enum AddressRule: Sendable {
    /// Any: the operator has named the server.
    case any
    /// Public ones only: a stranger has named the server.
    ///
    /// An address is looked at when its socket is opened, so a name that leads elsewhere by then gains nothing. No
    /// socket is opened for one that is refused.
    case publicOnly
}
