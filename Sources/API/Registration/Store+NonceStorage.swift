import Store

extension Store: NonceStorage {}
