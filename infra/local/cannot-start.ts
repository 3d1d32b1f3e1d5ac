/** Why the local environment cannot start, in words that tell the person at the terminal what to do. */
export class CannotStart extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'CannotStart'
  }
}
