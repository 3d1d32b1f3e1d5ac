import { randomUUID } from 'node:crypto'
import type { WireMessageInfos } from '#bea-wire/wire.ts'
import { courtCodes, findIdentity } from '../directory/identities.ts'
import type { Identity } from '../directory/identity.ts'
import { wireIdentity } from '../directory/wire-identity.ts'
import type { Network } from '../network/network.ts'
import { makePdf } from './make-pdf.ts'
import { type Attachment, type EebRecord, type Message, usualPackaging } from './postbox-message.ts'

/** A message that the gateway has checked and must deliver now. */
export type Outgoing = {
  from: string
  infos: WireMessageInfos
  attachments: readonly Attachment[]
  draftId: string | null
  now: Date
}

/**
 * Delivers a message to the postboxes of all receivers and puts it into the sent folder, in one transaction. The
 * sender's copy has the time of delivery as its acknowledgement.
 *
 * @returns the id of the sent message
 */
export async function deliver(network: Network, outgoing: Outgoing): Promise<string> {
  const { from, infos, draftId, now } = outgoing
  const message = messageOf(outgoing)
  const attachments = [...(await ownAttachments(message, outgoing)), ...outgoing.attachments]
  return network.transaction(() => {
    for (const safeId of new Set(infos.receivers)) {
      const received = { ...message, received: now.toISOString() }
      network.addMessage(network.baseFolder(safeId, 'INBOX').id, received, attachments)
    }
    if (draftId !== null) network.removeMessage(draftId)
    return network.addMessage(network.baseFolder(from, 'SENT').id, message, attachments)
  })
}

/** The message for sender and receivers, without the data of its reception. */
export function messageOf({ from, infos, now }: Omit<Outgoing, 'attachments' | 'draftId'>): Message {
  const at = now.toISOString()
  return {
    osciMessageId: `bea_${randomUUID()}`,
    subject: infos.betreff,
    body: infos.msg_text,
    sender: wireIdentity(identityOf(from)),
    addressees: infos.receivers.map((safeId) => wireIdentity(identityOf(safeId))),
    created: at,
    sent: at,
    received: null,
    zugegangen: at,
    egvpStatus: 'ERFOLGREICH',
    referenceNumber: infos.aktz_sender,
    referenceJustice: infos.aktz_rcv,
    urgent: infos.dringend,
    checkRequired: infos.pruefen,
    confidential: false,
    eebRequested: infos.eeb_erforderlich,
    eeb: infos.is_eeb_response ? eebOf(infos, at) : null,
    draft: null,
    packaging: usualPackaging,
  }
}

/** An empty date means today. */
function eebOf(infos: WireMessageInfos, at: string): EebRecord {
  return {
    accepted: infos.eeb_accept,
    foreignId: infos.eeb_fremdid,
    date: infos.eeb_date === '' ? at.slice(0, 10) : infos.eeb_date,
    rejectCode: infos.eeb_reject_code,
    rejectReason: infos.eeb_reject_grund,
  }
}

/** The files that the gateway adds: the text as PDF, and the record for courts. */
async function ownAttachments(message: Message, { from, infos }: Outgoing): Promise<Attachment[]> {
  const { documentsRecord, receiptRecord } = await import('./xjustiz-record.ts')
  const { name, kind } = identityOf(from)
  const head = {
    senderReference: infos.aktz_sender,
    receiverReference: infos.aktz_rcv,
    createdAt: message.created,
    ownId: message.osciMessageId,
    sender: {
      name,
      court: kind === 'court' ? (courtCodes.find(({ safeId }) => safeId === from)?.code ?? '') : null,
    },
  }
  const record = (xml: string): Attachment => ({
    name: 'xjustiz_nachricht.xml',
    type: 'ATTACHMENT',
    bytes: Buffer.from(xml),
  })
  if (message.eeb !== null) return [record(receiptRecord(head, message.eeb))]
  const text: Attachment[] =
    infos.msg_text === ''
      ? []
      : [
          {
            name: 'Nachrichtentext.pdf',
            type: 'ATTACHMENT',
            bytes: await makePdf(infos.betreff, infos.msg_text),
          },
        ]
  if (!infos.xj) return text
  const names = infos.attachments
  return [...text, record(documentsRecord(head, { names, asksForReceipt: infos.eeb_erforderlich }))]
}

function identityOf(wanted: string): Identity {
  const found = findIdentity(wanted)
  if (found === undefined) throw new Error(`There is no identity ${wanted}.`)
  return found
}
