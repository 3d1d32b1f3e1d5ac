import { pdfOf } from '#test/support/pdf-writer.ts'

/** How often each level draws the next one, and how many levels there are. Drawing all of them takes days. */
const [times, levels] = [10, 40]

const stream = (dictionary: string, content: string) =>
  `<<${dictionary}/Length ${content.length}>>stream\n${content}\nendstream`

/** A page whose first object to draw is number 5, with more objects after it. */
function pageThatDraws(draw: string, resources: string, objects: readonly string[], more = '') {
  return pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<<${resources}>>${more}>>`,
    stream('', draw),
    ...objects,
  ])
}

/** Objects, each of which draws the next one several times. */
function nested(level: (next: string | undefined) => string): string[] {
  return Array.from({ length: levels }, (_, at) => level(at === levels - 1 ? undefined : `${6 + at} 0 R`))
}

const form = (more: string, content: string) =>
  stream(`/Type/XObject/Subtype/Form/BBox[0 0 9 9]${more}`, content)

const formsInForms = nested((next) =>
  next === undefined
    ? form('', 'BT ET')
    : form(`/Resources<</XObject<</A ${next}>>>>`, '/A Do '.repeat(times)),
)

/** PDFs of some kilobytes that take days to draw, by the kind of object that draws the next level. */
export const explosivePdfs: Record<string, () => Uint8Array> = {
  'forms in forms': () => pageThatDraws('/A Do', '/XObject<</A 5 0 R>>', formsInForms),
  'forms in the appearance of a field': () =>
    pageThatDraws(
      '',
      '',
      formsInForms,
      '/Annots[<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/F 4/Rect[0 0 9 9]/AP<</N 5 0 R>>>>]',
    ),
  'soft masks in soft masks': () =>
    pageThatDraws(
      '/A gs 0 0 9 9 re f',
      '/ExtGState<</A<</SMask<</S/Alpha/G 5 0 R>>>>>>',
      nested((next) =>
        form(
          `/Group<</S/Transparency>>/Resources<<${next ? `/ExtGState<</A<</SMask<</S/Alpha/G ${next}>>>>>>` : ''}>>`,
          next ? '/A gs 0 0 9 9 re f '.repeat(times) : '0 0 9 9 re f',
        ),
      ),
    ),
  'one stream a million times': () =>
    pdfOf([
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents[${'4 0 R '.repeat(200_000)}]/Resources<<>>>>`,
      stream('', 'q Q '.repeat(2_000)),
    ]),
}

/** Patterns that draw patterns in the same way. pdf.js reads each of them only once. */
export const patternsInPatterns = () =>
  pageThatDraws(
    '/Pattern cs /A scn 0 0 9 9 re f',
    '/Pattern<</A 5 0 R>>',
    nested((next) =>
      stream(
        `/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<<${next ? `/Pattern<</A ${next}>>` : ''}>>`,
        next ? '/Pattern cs /A scn 0 0 9 9 re f '.repeat(times) : '0 0 9 9 re f',
      ),
    ),
  )
