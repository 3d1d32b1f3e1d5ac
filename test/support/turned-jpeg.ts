/** The same JPEG with an Exif tag that says how it must be turned or mirrored to stand upright: 1 to 8. */
export function turnedJpeg(
  jpeg: Uint8Array,
  orientation: number,
  order: 'II' | 'MM' = 'MM',
): Uint8Array<ArrayBuffer> {
  const isLittle = order === 'II'
  const exif = Buffer.alloc(6 + 8 + 2 + 12 + 4)
  exif.write(`Exif\0\0${order}`, 'latin1')
  const short = (value: number, at: number) =>
    isLittle ? exif.writeUInt16LE(value, at) : exif.writeUInt16BE(value, at)
  const long = (value: number, at: number) =>
    isLittle ? exif.writeUInt32LE(value, at) : exif.writeUInt32BE(value, at)
  short(42, 8)
  long(8, 10)
  short(1, 14)
  short(0x0112, 16)
  short(3, 18)
  long(1, 20)
  short(orientation, 24)
  const head = Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0, exif.length + 2])
  return new Uint8Array(Buffer.concat([head, exif, jpeg.subarray(2)]))
}
