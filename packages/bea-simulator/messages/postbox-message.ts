import type { WireIdentity, WireMessageInfos } from '#bea-wire/wire.ts'

/** A message in a folder, before it is encrypted for a session. Times are texts in the gateway's format. */
export type Message = {
  osciMessageId: string
  subject: string
  body: string
  sender: WireIdentity
  addressees: WireIdentity[]
  created: string
  sent: string | null
  received: string | null
  /** When it reached the postbox of the receiver: the acknowledgement of the sent message. */
  zugegangen: string | null
  egvpStatus: string | null
  referenceNumber: string
  referenceJustice: string
  urgent: boolean
  checkRequired: boolean
  confidential: boolean
  eebRequested: boolean
  /** The recorded answer to a request for an electronic receipt. */
  eeb: EebRecord | null
  /** Of a draft: the data with which it was saved. */
  draft: WireMessageInfos | null
  packaging: Packaging
}

/** `date` is the day of receipt, for a refusal the day of the answer. */
export type EebRecord = {
  accepted: boolean
  foreignId: string
  date: string
  rejectCode: string
  rejectReason: string
}

/** How a message is wrapped on the wire. All of these forms occur in the network. */
export type Packaging = {
  /**
   * For objects and attachments. `cbc` has the IV before the ciphertext; `cbc_iv` has it in its own member of
   * attachments.
   */
  cipher: 'gcm' | 'cbc' | 'cbc_iv'
  /**
   * The object with subject and body: `beaMessage.json`, `nachricht.xml` in `project_coco` or `govello_coco`, or
   * none.
   */
  text: 'beaMessage' | 'project_coco' | 'govello_coco' | 'none'
  /** The place of `Base64Content` in a container: below the root, or below an element `Content`. */
  layout: 'direct' | 'content'
  /** The place of the attachments' keys: one for each in `project_coco`, one for all there, or at the attachments. */
  keys: 'each' | 'one' | 'attachment'
  /** False if the overview does not show the subject. */
  showsSubject: boolean
  /** False if `metaData.sender` has no SAFE-ID, as with courts. */
  showsSender: boolean
}

export const usualPackaging: Packaging = {
  cipher: 'gcm',
  text: 'beaMessage',
  layout: 'direct',
  keys: 'each',
  showsSubject: true,
  showsSender: true,
}

export type Attachment = { name: string; type: AttachmentType; bytes: Buffer }

export type AttachmentType = 'SCHRIFTSATZ' | 'ATTACHMENT' | ''
