/** Throws where the request was made for another state of the record, such as of another `If-Match` (G10). */
export type Precondition<Current> = (current: Current) => void
