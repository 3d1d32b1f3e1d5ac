/**
 * The cross-references alone do not determine the content of a PDF. That may be harmless: the whole file must be read.
 */
export class Unsure extends Error {
  override name = 'Unsure'
}
