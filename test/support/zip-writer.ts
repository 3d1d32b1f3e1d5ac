import { crc32, deflateRawSync } from 'node:zlib'

/** An entry of a ZIP; `claimedBytes` is a false inflated size in the directory. */
export type ZipEntry = { name: string; content: string | Uint8Array; claimedBytes?: number }

/** A ZIP of these entries, deflated. */
export function zipOf(entries: readonly ZipEntry[]): Uint8Array {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content, claimedBytes } of entries) {
    const bytes = Buffer.from(content)
    const packed = deflateRawSync(bytes)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(claimedBytes ?? bytes.length, 18)
    common.writeUInt16LE(Buffer.byteLength(name), 22)
    const entryOffset = Buffer.alloc(14)
    entryOffset.writeUInt32LE(offset, 10)
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed])
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), common, entryOffset, Buffer.from(name)]))
    files.push(file)
    offset += file.length
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 0, 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(offset, 16)
  return new Uint8Array(Buffer.concat([...files, ...directory, end]))
}

const wordprocessing = 'application/vnd.openxmlformats-officedocument.wordprocessingml'

/** A DOCX with this XML inside its body, and other entries beside it. */
export function docxOf(
  body: string | Uint8Array,
  more: readonly ZipEntry[] = [],
  claimedBytes?: number,
): Uint8Array {
  const namespaces =
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
  const content =
    typeof body === 'string' ? `<w:document ${namespaces}><w:body>${body}</w:body></w:document>` : body
  return zipOf([
    {
      name: '[Content_Types].xml',
      content: `<Types><Override PartName="/word/document.xml" ContentType="${wordprocessing}.document.main+xml"/></Types>`,
    },
    { name: 'word/document.xml', content, ...(claimedBytes !== undefined && { claimedBytes }) },
    ...more,
  ])
}

/** A paragraph of a DOCX. */
export function paragraph(text: string): string {
  return `<w:p><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`
}
