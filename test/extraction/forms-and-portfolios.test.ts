import { expect, it } from 'vitest'
import { extract } from '#extraction/extract.ts'
import type { Ocr } from '#extraction/ocr.ts'
import { pdfOf } from '#test/support/pdf-writer.ts'

const ocr: Ocr = { readPages: async () => new Map() }

async function read(bytes: Uint8Array) {
  const result = await extract(bytes, 'application/pdf', { ocr })
  if ('refused' in result) throw new Error(`${result.refused}: ${result.message}`)
  return result
}

/** A PDF whose only page says that another program is needed. */
function waiting(catalogue: string, more: string[] = []): Uint8Array {
  const content = 'BT /F 12 Tf 50 700 Td (Please wait until another program shows this document) Tj ET'
  return pdfOf([
    `<</Type/Catalog/Pages 2 0 R ${catalogue}>>`,
    '<</Type/Pages/Count 1/Kids[3 0 R]>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ...more,
  ])
}

const draw = (text: string) => `<draw w="90mm" h="8mm"><value><text>${text}</text></value></draw>`
const field = (name: string, caption: string, ui: string) =>
  `<field name="${name}" w="90mm" h="8mm"><caption><value><text>${caption}</text></value></caption><ui>${ui}</ui></field>`

const template = `<template xmlns="http://www.xfa.org/schema/xfa-template/3.3/"><subform name="antrag" layout="tb"><pageSet><pageArea><contentArea x="10mm" y="10mm" w="190mm" h="277mm"/><medium stock="a4" short="210mm" long="297mm"/></pageArea></pageSet><subform name="teil" layout="tb" w="190mm">${draw('Antrag auf Beratungshilfe')}${field('name', 'Antragsteller', '<textEdit/>')}${field('grund', 'Begruendung', '<textEdit multiLine="1"/>')}</subform></subform></template>`
const data =
  '<xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><xfa:data><antrag><teil><name>Anna Meier</name><grund>Kuendigung der Wohnung</grund></teil></antrag></xfa:data></xfa:datasets>'

const form = `<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/">${template}${data}</xdp:xdp>`

const formOf = (xml: string) =>
  waiting('/NeedsRendering true/AcroForm 6 0 R', [
    '<</Fields[]/XFA 7 0 R/DR<</Font<</Helv 5 0 R>>>>>>',
    `<</Length ${xml.length}>>stream\n${xml}\nendstream`,
  ])

it('an XFA form is read with its texts and the entered values', async () => {
  const { text, page_count, unread } = await read(formOf(form))

  expect(text.split('\n')).toEqual([
    'Antrag auf Beratungshilfe',
    'Antragsteller',
    'Anna Meier',
    'Begruendung',
    'Kuendigung der Wohnung',
  ])
  expect([page_count, unread]).toEqual([1, undefined])
})

it('an XFA form with damaged data has the text of its page and form_unread', async () => {
  const { text, unread } = await read(formOf('<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"><kein Formular'))

  expect([text, unread]).toEqual(['Please wait until another program shows this document', 'form_unread'])
})

it('an XFA form that cannot be drawn has the text of its page and form_unread', async () => {
  const { text, unread } = await read(
    waiting('/NeedsRendering true/AcroForm 6 0 R', [
      // Without fonts.
      '<</Fields[]/XFA 7 0 R>>',
      `<</Length ${form.length}>>stream\n${form}\nendstream`,
    ]),
  )

  expect([text, unread]).toEqual(['Please wait until another program shows this document', 'form_unread'])
})

it('a portfolio has embedded_unread', async () => {
  const { text, unread } = await read(waiting('/Collection<</Type/Collection/View/D>>'))

  expect([text, unread]).toEqual(['Please wait until another program shows this document', 'embedded_unread'])
})

it('an ordinary PDF has neither', async () => {
  expect((await read(waiting(''))).unread).toBeUndefined()
})
