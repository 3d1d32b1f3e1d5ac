import type { WireIdentity, WireMessageInfos } from '#bea-gateway/wire.ts'

/** A message in a folder, as it is before it is encrypted for a session. Times are texts as the gateway gives them. */
export type Message = {
  osciMessageId: string
  subject: string
  body: string
  sender: WireIdentity
  addressees: WireIdentity[]
  created: string
  sent: string | null
  received: string | null
  /** When it reached the postbox of the receiver: the acknowledgement of what was sent. */
  zugegangen: string | null
  egvpStatus: string | null
  referenceNumber: string
  referenceJustice: string
  urgent: boolean
  checkRequired: boolean
  confidential: boolean
  eebRequested: boolean
  /** An answer to a request for an electronic receipt, as it was recorded. */
  eeb: EebRecord | null
  /** Of a draft: what it was saved with. */
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
  /** Of objects and attachments. `cbc` has the IV before the ciphertext, `cbc_iv` at attachments in its own member. */
  cipher: 'gcm' | 'cbc' | 'cbc_iv'
  /** Where subject and body are: `beaMessage.json`, `nachricht.xml` in `project_coco` or in `govello_coco`, or in no object. */
  text: 'beaMessage' | 'project_coco' | 'govello_coco' | 'none'
  /** Where `Base64Content` stands in a container: below the root, or below an element `Content`. */
  layout: 'direct' | 'content'
  /** Where the keys of attachments are: one for each in `project_coco`, one for all there, or at the attachments. */
  keys: 'each' | 'one' | 'attachment'
  /** False where the overview does not show the subject. */
  showsSubject: boolean
  /** False where `metaData.sender` has no SAFE-ID, as with courts. */
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
