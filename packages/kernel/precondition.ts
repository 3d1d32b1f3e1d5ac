/** Throws if the request was made for another state of the record, for example by its `If-Match` (G10). */
export type Precondition<Current> = (current: Current) => void

/** The precondition of a request that names no state. A use case need not read the state for it. */
export const anyState: Precondition<unknown> = () => {}
