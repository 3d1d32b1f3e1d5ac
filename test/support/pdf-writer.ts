/** A PDF of these objects, the first of which is its catalogue. */
export function pdfOf(objects: string[]): Uint8Array<ArrayBuffer> {
  let file = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const trailer = `trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${file.length}\n%%EOF`
  return new Uint8Array(
    Buffer.from(`${file}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}${trailer}`, 'latin1'),
  )
}

/** A PDF of one page of this size in points, with a picture on it. */
export function picturePage(width: number, height: number): Uint8Array<ArrayBuffer> {
  const content = `q ${width} 0 0 ${height} 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \x80 EI Q`
  return pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Count 1/Kids[3 0 R]>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]/Contents 4 0 R>>`,
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
  ])
}
