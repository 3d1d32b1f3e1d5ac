import { create } from 'xmlbuilder2'
import { xmlText } from './xml-text.ts'

const namespace = 'http://www.xjustiz.de'
const version = '3.5.1'
const kinds = {
  documents: 'nachricht.gds.uebermittlungSchriftgutobjekte.0005005',
  receipt: 'nachricht.eeb.zuruecklaufend.2200007',
}

/** The head of a record. If a court sends it, `court` has its code in the list GDS.Gerichte. */
export type XJustizHead = {
  senderReference: string
  receiverReference: string
  createdAt: string
  /** The record's own id. */
  ownId: string
  sender: { name: string; court: string | null }
}

/**
 * `xjustiz_nachricht.xml` of a message with documents. `asksForReceipt` requests an electronic receipt for each
 * document.
 */
export function documentsRecord(
  head: XJustizHead,
  documents: { names: readonly string[]; asksForReceipt: boolean },
): string {
  const root = begin(kinds.documents, head)
  const grund = root.ele(namespace, 'tns:grunddaten').ele(namespace, 'tns:verfahrensdaten')
  const instance = grund.ele(namespace, 'tns:instanzdaten').ele(namespace, 'tns:aktenzeichen')
  instance
    .ele(namespace, 'tns:aktenzeichen.freitext')
    .txt(xmlText(head.sender.court ? head.senderReference : head.receiverReference))
  const objects = root.ele(namespace, 'tns:schriftgutobjekte')
  for (const [at, name] of documents.names.entries()) {
    const object = objects.ele(namespace, 'tns:dokument')
    object
      .ele(namespace, 'tns:identifikation')
      .ele(namespace, 'tns:nummerImUebergeordnetenContainer')
      .txt(`${at + 1}`)
    const details = object.ele(namespace, 'tns:xjustiz.fachspezifischeDaten')
    details.ele(namespace, 'tns:ruecksendungEEB.erforderlich').txt(String(documents.asksForReceipt))
    details.ele(namespace, 'tns:datei').ele(namespace, 'tns:dateiname').txt(xmlText(name))
  }
  return root.end({ prettyPrint: true })
}

/** The record of an electronic receipt: the day of receipt, or the reason for its refusal. */
export function receiptRecord(
  head: XJustizHead,
  receipt: { foreignId: string; accepted: boolean; date: string; rejectCode: string; rejectReason: string },
): string {
  const root = begin(kinds.receipt, head, receipt.foreignId)
  const data = root.ele(namespace, 'tns:fachdaten')
  if (receipt.accepted)
    data.ele(namespace, 'tns:empfangsbestaetigung').ele(namespace, 'tns:datum').txt(xmlText(receipt.date))
  else {
    const refused = data.ele(namespace, 'tns:zurueckweisung')
    refused.ele(namespace, 'tns:grund').ele('code').txt(xmlText(receipt.rejectCode))
    refused.ele(namespace, 'tns:bemerkung').txt(xmlText(receipt.rejectReason))
  }
  return root.end({ prettyPrint: true })
}

function begin(kind: string, head: XJustizHead, foreignId?: string) {
  const root = create({ version: '1.0', encoding: 'UTF-8' }).ele(namespace, `tns:${kind}`)
  const top = root.ele(namespace, 'tns:nachrichtenkopf', { xjustizVersion: version })
  const add = (name: string, text: string) => top.ele(namespace, `tns:${name}`).txt(xmlText(text))
  add('aktenzeichen.absender', head.senderReference)
  add('aktenzeichen.empfaenger', head.receiverReference)
  add('erstellungszeitpunkt', head.createdAt)
  const sender = top.ele(namespace, 'tns:auswahl_absender')
  if (head.sender.court === null)
    sender.ele(namespace, 'tns:absender.sonstige').txt(xmlText(head.sender.name))
  else sender.ele(namespace, 'tns:absender.gericht').com(head.sender.name).ele('code').txt(head.sender.court)
  add('eigeneNachrichtenID', head.ownId)
  if (foreignId !== undefined) add('fremdeNachrichtenID', foreignId)
  return root
}
