import type { BeaMessageRecord } from '../ports.ts'
import type { BeaMessage } from './message-schema.ts'

/** A message as shown to a user who may read it. `body` is null in a list. */
export function wholeMessage(record: BeaMessageRecord, body: string | null): BeaMessage {
  return {
    ...record,
    body,
    filing: record.filing !== undefined,
    attachments: record.attachments.map(({ sha256: _, ...shown }) => shown),
  }
}

/** A message as shown to a user with the right 01 only: sender, date and size (B8). */
export function maskedMessage(record: BeaMessageRecord): BeaMessage {
  return {
    ...record,
    subject: null,
    body: null,
    recipients: [],
    reference_sender: null,
    reference_recipient: null,
    attachments: [],
    eeb_requested: false,
    eeb: null,
    receipt: null,
    case_id: null,
    filing: false,
    party_id: null,
  }
}

/** A message as shown to a user who may assign it but does not have the right 01: nearly nothing (B8). */
export function unseenMessage(record: BeaMessageRecord): BeaMessage {
  return {
    ...maskedMessage(record),
    sender: { name: null, bea_id: null },
    received_at: null,
    sent_at: null,
    purge_at: null,
    size_bytes: 0,
  }
}
