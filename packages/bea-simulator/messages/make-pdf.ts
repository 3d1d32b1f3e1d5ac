/** An A4 PDF with this text; long lines are wrapped at words. */
export async function makePdf(title: string, text: string): Promise<Buffer> {
  const { PDFDocument, StandardFonts } = await import('@cantoo/pdf-lib')
  const document = await PDFDocument.create()
  document.setTitle(title)
  const created = new Date(0)
  document.setCreationDate(created)
  document.setModificationDate(created)
  const font = await document.embedFont(StandardFonts.Helvetica)
  const known = new Set(font.getCharacterSet())
  const lines = text.split('\n').flatMap((line) => broken(printable(line, known)))
  for (let at = 0; at === 0 || at < lines.length; at += linesOfPage) {
    const page = document.addPage([595, 842])
    for (const [row, line] of lines.slice(at, at + linesOfPage).entries())
      page.drawText(line, { x: 70, y: 770 - row * 16, size: 11, font })
  }
  return Buffer.from(await document.save())
}

const linesOfPage = 44
const charactersOfLine = 80

/** The standard font has the letters of western Europe only. */
function printable(line: string, known: ReadonlySet<number>): string {
  return [...line].map((character) => (known.has(character.codePointAt(0) ?? 0) ? character : '?')).join('')
}

function broken(line: string): string[] {
  const lines = ['']
  for (const word of line.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last !== '' && last.length + word.length >= charactersOfLine) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines
}
