import { PdfScript } from './pdf-script.ts'

/** The objects of small PDFs, in the words of the format. */
export const catalogue = '<</Type/Catalog/Pages 2 0 R>>'
export const pages = (kids: string, count = kids.split('R').length - 1) =>
  `<</Type/Pages/Count ${count}/Kids[${kids}]>>`
export const page = (width: number, more = '') =>
  `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} 200]${more}>>`

/** A catalogue, the root of the pages, and a page of 300 points. */
export const onePage = () =>
  new PdfScript().object(1, catalogue).object(2, pages('3 0 R')).object(3, page(300))
export const namesOf = (script: PdfScript, numbers = [1, 2, 3]) =>
  Object.fromEntries(numbers.map((number) => [number, script.at(number)]))

/** The script with a table of its objects, and the end. */
export function withTable(
  script: PdfScript,
  numbers = [1, 2, 3],
  trailer = '/Size 9',
): Uint8Array<ArrayBuffer> {
  const table = script.length
  return script.table({ 0: 'f', ...namesOf(script, numbers) }, trailer).end(table)
}
