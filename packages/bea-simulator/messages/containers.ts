import { create } from 'xmlbuilder2'
import type { Message } from './postbox-message.ts'
import { xmlText } from './xml-text.ts'

const osci = 'http://www.osci.de/2002/04/osci'
const xmlenc = 'http://www.w3.org/2001/04/xmlenc#'
const xmldsig = 'http://www.w3.org/2000/09/xmldsig#'

/** The key of an attachment in the container. */
export type AttachmentKey = { name: string; key: Buffer }

/**
 * A container of contents, `project_coco` or `govello_coco`: the keys of attachments as `EncryptedData` elements (XML
 * Encryption), then texts as `Base64Content` by id.
 */
export function contentContainer(
  keys: readonly AttachmentKey[],
  contents: Readonly<Record<string, string>>,
  layout: 'direct' | 'content',
): string {
  const root = create({ version: '1.0', encoding: 'UTF-8' }).ele(osci, 'ContentContainer')
  for (const { name, key } of keys) {
    const data = root.ele(xmlenc, 'xenc:EncryptedData')
    data.ele(xmldsig, 'ds:KeyInfo').ele(xmldsig, 'ds:MgmtData').txt(key.toString('base64'))
    data.ele(xmlenc, 'xenc:CipherData').ele(xmlenc, 'xenc:CipherReference', { URI: xmlText(`cid:${name}`) })
  }
  for (const [id, text] of Object.entries(contents)) {
    const parent = layout === 'content' ? root.ele(osci, 'Content') : root
    parent.ele(osci, 'Base64Content', { Id: id }).txt(Buffer.from(text).toString('base64'))
  }
  return root.end()
}

/** The object `beaMessage.json`: JSON in XML. */
export function beaMessage({ subject, body }: Message): string {
  const json = JSON.stringify({ messageSubject: subject, messageBody: body })
  return create({ version: '1.0', encoding: 'UTF-8' })
    .ele(osci, 'Content')
    .ele(osci, 'Base64Content', { Id: 'beaMessage.json' })
    .txt(Buffer.from(json).toString('base64'))
    .root()
    .end()
}

/** The texts about the message in a container: `nachricht.xml`, and the sender. */
export function containedTexts(message: Message): Record<string, string> {
  return {
    additional_infos: `version=1\nuser_id=${message.sender.safeId ?? ''}\nmessage_id=${message.osciMessageId}\n`,
    'nachricht.xml': create({ version: '1.0', encoding: 'UTF-8' })
      .ele('Nachricht')
      .ele('Aktenzeichen_Absender')
      .txt(xmlText(message.referenceNumber))
      .up()
      .ele('Aktenzeichen_Empfaenger')
      .txt(xmlText(message.referenceJustice))
      .up()
      .ele('Betreff')
      .txt(xmlText(message.subject))
      .up()
      .ele('Freitext')
      .txt(xmlText(message.body))
      .up()
      .ele('Empfaengerkennung')
      .txt(xmlText(message.addressees[0]?.safeId ?? ''))
      .root()
      .end(),
  }
}
