import type { MessageHeader, ReadHeader, SenderProof } from '#correspondence/reception-ports.ts'
import { headerEndOf, headerStartOf } from './mime-parts.ts'
import { readMail } from './read-mail.ts'
import { proveSender } from './sender-proof.ts'

/**
 * Reads the header of a message. If postal-mime cannot read it, the result is empty, so that the message is still
 * recorded. The worker that reads the whole message reports the error.
 */
export const readHeader: ReadHeader = {
  maxBytes: 256 * 1024,
  async read(beginning, checks) {
    const bytes = Buffer.from(beginning.buffer, beginning.byteOffset, beginning.byteLength)
    const { header, bodyStart, isWhole } = splitHeader(bytes.subarray(0, readHeader.maxBytes))
    try {
      const { message_id, from, reply_to, to, cc, subject, date, in_reply_to, references, claims } =
        await readMail(header)
      const proof = isWhole ? proveSender(claims, checks) : unproved
      return {
        message_id,
        from,
        reply_to,
        to,
        cc,
        subject,
        date,
        in_reply_to,
        references,
        bodyStart,
        ...proof,
      }
    } catch {
      return { ...emptyHeader, bodyStart }
    }
  },
}

/** The result for a header that was not read completely, because the rest may contain another sender. */
const unproved: SenderProof = { sender_verified: false, sender_verified_reason: 'no_clear_sender' }

const emptyHeader: Omit<MessageHeader, 'bodyStart'> = {
  ...unproved,
  message_id: null,
  from: null,
  reply_to: [],
  to: [],
  cc: [],
  subject: '',
  date: null,
  in_reply_to: [],
  references: [],
}

/** Splits a message after the empty line that ends its header. An incomplete header is cut at a line break. */
function splitHeader(bytes: Buffer): { header: Buffer; bodyStart: number; isWhole: boolean } {
  const start = headerStartOf(bytes)
  const end = headerEndOf(bytes.subarray(start))
  if (end !== undefined) {
    const bodyStart = start + end.bodyStart
    return { header: bytes.subarray(start, bodyStart), bodyStart, isWhole: true }
  }
  if (bytes.length < readHeader.maxBytes) return { header: bytes, bodyStart: 0, isWhole: true }
  return { header: bytes.subarray(0, bytes.lastIndexOf('\n') + 1), bodyStart: 0, isWhole: false }
}
