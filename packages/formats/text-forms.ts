/** Decodes hexadecimal (PDF 32000-1, 7.4.2): two digits are one byte, white space is ignored, `>` is the end. */
export function fromHexadecimal(text: Buffer): Buffer {
  const end = text.indexOf('>')
  const digits = text.subarray(0, end < 0 ? undefined : end).toString('latin1')
  return Buffer.from(digits.replace(/\s+/g, ''), 'hex')
}

/**
 * Decodes ASCII85 (PDF 32000-1, 7.4.3): five characters from `!` to `u` are four bytes, `z` is four zeros, white space
 * is ignored, `~` is the end.
 */
export function fromAscii85(text: Buffer): Buffer {
  const zeros = text.reduce((count, character) => (character === z ? count + 1 : count), 0)
  const bytes = Buffer.alloc(4 * zeros + Math.ceil((text.length - zeros) * 0.8) + 4)
  let length = 0
  let value = 0
  let count = 0
  const write = (given: number): void => {
    bytes.writeUInt32BE(value % 2 ** 32, length)
    length += given
    value = 0
    count = 0
  }
  for (const character of text) {
    if (character === tilde) break
    if (character === z && count === 0) write(4)
    if (character < lowest || character > highest) continue
    value = value * 85 + (character - lowest)
    count += 1
    if (count === 5) write(4)
  }
  const given = count - 1
  if (given < 1) return bytes.subarray(0, length)
  for (; count < 5; count += 1) value = value * 85 + 84
  write(given)
  return bytes.subarray(0, length)
}

const [z, tilde, lowest, highest] = [0x7a, 0x7e, 0x21, 0x75]
