/** A PDF whose cross-references alone do not say for certain what it is. That may be harmless: it is to be read as a whole. */
export class Unsure extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Unsure'
  }
}
