/** Writes a PDF piece by piece, a wrong one as well, and remembers where the pieces stand. */
export class PdfScript {
  #text = '%PDF-1.7\n%\xe2\xe3\xcf\xd3\n'
  readonly #offsets = new Map<number, number>()

  /** The length so far, which is the offset of the next piece. */
  get length(): number {
    return this.#text.length
  }

  /** The offset of the last object with this number. */
  at(number: number): number {
    const offset = this.#offsets.get(number)
    if (offset === undefined) throw new RangeError(`There is no object ${number}.`)
    return offset
  }

  add(text: string): this {
    this.#text += text
    return this
  }

  object(number: number, content: string): this {
    this.#offsets.set(number, this.length)
    return this.add(`${number} 0 obj\n${content}\nendobj\n`)
  }

  stream(number: number, dictionary: string, data: string): this {
    return this.object(number, `<<${dictionary}/Length ${data.length}>>stream\n${data}\nendstream`)
  }

  /** A stream of these objects. */
  objectStream(number: number, objects: Record<number, string>): this {
    let place = 0
    const head = Object.entries(objects).map(([packed, content]) => {
      const at = place
      place += content.length + 1
      return `${packed} ${at} `
    })
    const data = `${head.join('')}\n${Object.values(objects).join('\n')}`
    const dictionary = `/Type/ObjStm/N ${head.length}/First ${head.join('').length + 1}`
    return this.stream(number, dictionary, data)
  }

  /** A table of these offsets, `f` for objects that are free, with a trailer of this and the number of the catalogue. */
  table(entries: Record<number, number | 'f'>, trailer: string, root = 1): this {
    this.add(Object.keys(entries).length === 0 ? 'xref\n0 0\n' : 'xref\n')
    for (const [number, offset] of Object.entries(entries)) {
      const isFree = offset === 'f'
      const line = `${String(isFree ? 0 : offset).padStart(10, '0')} ${isFree ? '65535 f' : '00000 n'} \n`
      this.add(`${number} 1\n${line}`)
    }
    return this.add(`trailer\n<</Root ${root} 0 R${trailer}>>\n`)
  }

  /** A cross-reference stream: an offset, or the number of an object stream and the index in it. */
  crossReferenceStream(
    number: number,
    entries: Record<number, number | 'f' | [stream: number, index: number]>,
    dictionary: string,
  ): this {
    const all = Object.entries({ ...entries, [number]: this.length })
    const lines = all.map(([, entry]) => {
      const line = Buffer.alloc(7)
      const [type, second, third] =
        entry === 'f' ? [0, 0, 0] : Array.isArray(entry) ? [2, ...entry] : [1, entry, 0]
      line.writeUInt8(type)
      line.writeUInt32BE(second, 1)
      line.writeUInt16BE(third, 5)
      return line.toString('latin1')
    })
    const index = all.map(([numberOfEntry]) => `${numberOfEntry} 1`).join(' ')
    return this.stream(number, `/Type/XRef/W[1 4 2]/Index[${index}]/Root 1 0 R${dictionary}`, lines.join(''))
  }

  /** The end, which names a section; the whole file. */
  end(section: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(Buffer.from(`${this.#text}startxref\n${section}\n%%EOF\n`, 'latin1'))
  }
}
