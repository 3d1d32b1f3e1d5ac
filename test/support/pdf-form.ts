import { PDFDocument, PDFName, rgb } from '@cantoo/pdf-lib'

/**
 * A PDF with a completed form: a text and a check box. With `xfa` its fields are drawn from data, as in forms of
 * Adobe LiveCycle.
 */
export async function formPdf({ xfa = false } = {}): Promise<Uint8Array<ArrayBuffer>> {
  const document = await PDFDocument.create({ updateMetadata: false })
  const page = document.addPage([595, 842])
  page.drawText('Mandatsvereinbarung', { x: 60, y: 760, size: 18 })
  page.drawRectangle({ x: 60, y: 740, width: 475, height: 1, color: rgb(0, 0, 0) })
  const form = document.getForm()
  const name = form.createTextField('mandant.name')
  name.setText('Erika Mustermann')
  name.addToPage(page, { x: 60, y: 680, width: 300, height: 24 })
  const consent = form.createCheckBox('belehrt')
  consent.addToPage(page, { x: 60, y: 640, width: 16, height: 16 })
  consent.check()
  if (xfa) {
    const data = '<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"/>'
    form.acroForm.dict.set(PDFName.of('XFA'), document.context.register(document.context.stream(data)))
  }
  // The fields already have their appearance; reading the form again would remove the data.
  return new Uint8Array(await document.save({ useObjectStreams: false, updateFieldAppearances: false }))
}
