import { randomUUID } from 'node:crypto'

/** The bytes that are encoded at once: a multiple of three, so that base64 has no padding in between. */
const bytesAtOnce = 48 * 1024

/** A text of a request that is created while it is written, such as the contents of an attachment; ASCII without quotes. */
export class LargeText {
  /** Its length. */
  readonly bytes: number
  /** Called once. */
  readonly pieces: () => Iterable<string>

  constructor(bytes: number, pieces: () => Iterable<string>) {
    this.bytes = bytes
    this.pieces = pieces
  }
}

/** The body of a request: its length, and its bytes, which are created while they are read. */
export type FormBody = { bytes: number; pieces: Iterable<Buffer> }

/**
 * The body of a request: one form field `j` with the JSON as URL-safe base64 without padding. No large
 * text is in memory as a whole.
 *
 * @param request its members may be LargeText, whose pieces are read in the order of the members
 */
export function formBody(request: object): FormBody {
  const placeholder = randomUUID()
  const texts: LargeText[] = []
  const json = JSON.stringify(request, (_, value) => {
    if (!(value instanceof LargeText)) return value
    texts.push(value)
    return placeholder
  })
  const between = json.split(placeholder)
  const jsonBytes = [...between.map((text) => Buffer.byteLength(text)), ...texts.map(({ bytes }) => bytes)]
  const bytes = jsonBytes.reduce((sum, length) => sum + length, 0)
  return { bytes: field.length + Math.ceil((bytes * 4) / 3), pieces: encoded(interleaved(between, texts)) }
}

const field = 'j='

function* interleaved(between: string[], texts: LargeText[]): Generator<string> {
  for (const [index, text] of between.entries()) {
    if (index > 0) yield* texts[index - 1]?.pieces() ?? []
    yield text
  }
}

/** Encodes pieces of JSON as one text. */
function* encoded(pieces: Iterable<string>): Generator<Buffer> {
  yield Buffer.from(field)
  let rest: Buffer = Buffer.alloc(0)
  for (const piece of pieces) {
    const bytes = Buffer.concat([rest, Buffer.from(piece)])
    const end = bytes.length - (bytes.length % 3)
    for (let at = 0; at < end; at += bytesAtOnce) {
      yield Buffer.from(bytes.toString('base64url', at, Math.min(at + bytesAtOnce, end)), 'latin1')
    }
    rest = bytes.subarray(end)
  }
  if (rest.length > 0) yield Buffer.from(rest.toString('base64url'), 'latin1')
}
