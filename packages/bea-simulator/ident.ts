/** The account identifier of the simulator (`bex-ident`), for `BEA_GATEWAY_IDENT`. */
export const beaIdent = 'demo-ident'
