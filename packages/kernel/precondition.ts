/** Throws if the request was made for another state of the record, for example by its `If-Match` (G10). */
export type Precondition<Current> = (current: Current) => void
