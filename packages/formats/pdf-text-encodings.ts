/**
 * The possible texts of a PDF string: UTF-16 or UTF-8 if it begins with their mark, otherwise both one-byte encodings
 * that values and fonts use. They differ in some characters, such as the euro sign.
 */
export function textsOf(bytes: Buffer): string[] {
  const isUtf16 = bytes[0] === 0xfe && bytes[1] === 0xff && bytes.length % 2 === 0
  if (isUtf16) return [Buffer.from(bytes.subarray(2)).swap16().toString('utf16le')]
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return [bytes.toString('utf8', 3)]
  const text = bytes.toString('latin1')
  return [windows, ofDocument].map((table) =>
    text.replace(/[\x80-\xa0]/g, (one) => table[one.charCodeAt(0) - 0x80] ?? one),
  )
}

/** From 0x80 on: Windows-1252, and PDFDocEncoding (ISO 32000-1, annex D). */
const windows = [...'€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ']
const ofDocument = [...'•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž\x9f€']
