const [equals, lineFeed, carriageReturn, space, tab] = [0x3d, 0x0a, 0x0d, 0x20, 0x09]

/** Bytes converted to text in one operation. A single conversion of 40 MB would take another 40 MB of memory. */
const chunkBytes = 256 * 1024

/**
 * Decodes base64. Characters outside the alphabet are skipped. Padding is accepted anywhere, because some programs pad
 * every line.
 */
export function decodeBase64(written: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(Math.ceil((written.length * 3) / 4))
  let length = 0
  let open = ''
  for (let at = 0; at < written.length; at += chunkBytes) {
    const characters = written.toString('latin1', at, at + chunkBytes).replace(/[^a-zA-Z0-9+/=]+/g, '')
    const units = (open + characters).split(/=+/)
    const last = units.pop() ?? ''
    for (const unit of units) length += decoded.write(unit, length, 'base64')
    const whole = last.length - (last.length % 4)
    length += decoded.write(last.slice(0, whole), length, 'base64')
    open = last.slice(whole)
  }
  length += decoded.write(open, length, 'base64')
  return decoded.subarray(0, length)
}

/** Decodes quoted-printable (RFC 2045, 6.7). Line breaks and invalid escapes stay as they are. */
export function decodeQuotedPrintable(written: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(written.length)
  let length = 0
  let at = 0
  const lineBreakAt = (offset: number): number => {
    if (written[offset] === lineFeed) return 1
    return written[offset] === carriageReturn && written[offset + 1] === lineFeed ? 2 : 0
  }
  while (at < written.length) {
    const byte = written[at] ?? 0
    if (byte === space || byte === tab || byte === equals) {
      let end = byte === equals ? at + 1 : at
      while (written[end] === space || written[end] === tab) end += 1
      const lineBreak = lineBreakAt(end)
      // Spaces and tabs at the end of a line were added in transit. They are removed, like a soft line break (after
      // `=`).
      if (lineBreak > 0) {
        at = byte === equals ? end + lineBreak : end
        continue
      }
      const escaped = byte === equals ? hexAt(written, at + 1) : undefined
      if (escaped !== undefined) {
        decoded[length++] = escaped
        at += 3
        continue
      }
      const last = Math.max(end, at + 1)
      length += written.copy(decoded, length, at, last)
      at = last
      continue
    }
    decoded[length++] = byte
    at += 1
  }
  return decoded.subarray(0, length)
}

/** The value of the two hexadecimal digits at an offset; undefined if there are none. */
function hexAt(written: Buffer, at: number): number | undefined {
  const [high, low] = [digitOf(written[at]), digitOf(written[at + 1])]
  return high === undefined || low === undefined ? undefined : high * 16 + low
}

function digitOf(byte: number | undefined): number | undefined {
  if (byte === undefined) return undefined
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : undefined
}
