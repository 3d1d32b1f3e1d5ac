/** A field of a TIFF directory: its tag, type (3: SHORT, 4: LONG), number of values, and their value or place. */
export type TiffField = { tag: number; type?: number; count?: number; value: number }

/** The fields of a one-bit picture of this width and height, without pixels. */
export const blackAndWhite = (width: number, height: number): TiffField[] => [
  { tag: 256, value: width },
  { tag: 257, value: height },
  { tag: 258, type: 3, value: 1 },
  { tag: 262, type: 3, value: 1 },
  { tag: 273, value: 8 },
  { tag: 277, type: 3, value: 1 },
  { tag: 279, value: 1 },
]

/** A TIFF of one page with these fields, followed by these bytes; `fields` receives their place. */
export function tiffOf(
  fields: TiffField[] | ((dataAt: number) => TiffField[]),
  data = Buffer.alloc(0),
): Uint8Array<ArrayBuffer> {
  const listed = typeof fields === 'function' ? fields(0) : fields
  const dataAt = 8 + 2 + listed.length * 12 + 4
  const placed = typeof fields === 'function' ? fields(dataAt) : fields
  const head = Buffer.alloc(dataAt)
  head.write('II*\0', 'latin1')
  head.writeUInt32LE(8, 4)
  head.writeUInt16LE(placed.length, 8)
  for (const [index, { tag, type = 4, count = 1, value }] of placed.entries()) {
    const at = 10 + index * 12
    head.writeUInt16LE(tag, at)
    head.writeUInt16LE(type, at + 2)
    head.writeUInt32LE(count, at + 4)
    head.writeUInt32LE(value, at + 8)
  }
  return new Uint8Array(Buffer.concat([head, data]))
}
