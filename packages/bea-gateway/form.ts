import { randomUUID } from 'node:crypto'

/** The bytes that are encoded at once; a multiple of three, so that base64 needs no padding in between. */
const bytesAtOnce = 48 * 1024

/** A text of a request that is made only while it is written, such as the contents of an attachment; ASCII without quotes. */
export class LargeText {
  readonly pieces: () => Iterable<string>

  constructor(pieces: () => Iterable<string>) {
    this.pieces = pieces
  }
}

/**
 * The body of a request: one form field `j` with the JSON as URL-safe base64 without padding (facts, section 1).
 *
 * @param request its members may be LargeText, which is asked for its pieces in the order of the members
 * @returns the body in pieces; no large text is in memory in another form
 */
export function formBody(request: object): Buffer[] {
  const body = [Buffer.from('j=')]
  const add = (bytes: Buffer) => {
    for (let at = 0; at < bytes.length; at += bytesAtOnce) {
      body.push(Buffer.from(bytes.toString('base64url', at, at + bytesAtOnce), 'latin1'))
    }
  }
  let rest: Buffer = Buffer.alloc(0)
  for (const piece of jsonPieces(request)) {
    const bytes = Buffer.concat([rest, Buffer.from(piece)])
    const end = bytes.length - (bytes.length % 3)
    add(bytes.subarray(0, end))
    rest = bytes.subarray(end)
  }
  add(rest)
  return body
}

function* jsonPieces(request: object): Generator<string> {
  const placeholder = randomUUID()
  const texts: LargeText[] = []
  const json = JSON.stringify(request, (_, value) => {
    if (!(value instanceof LargeText)) return value
    texts.push(value)
    return placeholder
  })
  for (const [index, between] of json.split(placeholder).entries()) {
    if (index > 0) yield* texts[index - 1]?.pieces() ?? []
    yield between
  }
}
