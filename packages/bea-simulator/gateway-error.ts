/** An `error` answer of the gateway. `message` is its text. */
export class GatewayError extends Error {
  /** The HTTP status. The vendor's samples expect the member `error` in an answer with 200. */
  readonly status: number

  constructor(message: string, status = 200) {
    super(message)
    this.status = status
  }
}

export const sessionError = () => new GatewayError('The session has ended or its token is not valid.')

export const lockedError = () => new GatewayError('The identity is locked.')
