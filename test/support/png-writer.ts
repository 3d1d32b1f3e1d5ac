import { crc32, deflateSync } from 'node:zlib'

/** A transparent PNG with a line across, like a drawn signature. */
export function drawnPng(width = 300, height = 90): Uint8Array<ArrayBuffer> {
  const pixels = Buffer.alloc((width * 4 + 1) * height)
  for (let x = 0; x < width; x += 1) {
    const y = Math.floor((x * height) / width)
    pixels.writeUInt32BE(0x101040ff, y * (width * 4 + 1) + 1 + x * 4)
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 6, 0, 0, 0], 8)
  const chunk = (type: string, content: Buffer) => {
    const named = Buffer.concat([Buffer.from(type, 'latin1'), content])
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(content.length)
    check.writeUInt32BE(crc32(named))
    return Buffer.concat([length, named, check])
  }
  const magic = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(pixels)), chunk('IEND', Buffer.alloc(0))]
  return new Uint8Array(Buffer.concat([magic, ...chunks]))
}
