// Sizes of contract code. Follows params/protocol_params.go; the larger limits of Amsterdam have no place here yet.

/** Largest code of a contract in bytes, from Spurious Dragon on (EIP-170). */
export const maxCodeSize = 24_576
/** Largest initcode in bytes, from Shanghai on (EIP-3860). */
export const maxInitCodeSize = 2 * maxCodeSize
