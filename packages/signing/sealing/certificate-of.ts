import { requiredSigners } from '../envelopes/envelope-states.ts'
import type { Certificate, EnvelopeDocumentRecord, EnvelopeRecord } from '../ports.ts'

/** The drawn signatures of an envelope, by signer. */
export type Pictures = ReadonlyMap<string, Uint8Array>

/**
 * The content of a document's certificate (S7). It depends only on its arguments, so every attempt gives the same
 * certificate. The completion time is the time of the last required signature. The audit trail gets no entry between
 * that signature and `completed`, so its newest hash belongs to the last entry before completion.
 */
export function certificateOf(
  envelope: EnvelopeRecord,
  { filename, mime_type }: Pick<EnvelopeDocumentRecord, 'filename' | 'mime_type'>,
  office: string,
  pictures: Pictures,
): Certificate {
  const { id, title, audit_hash, signers } = envelope
  return {
    language: 'de',
    office,
    envelope: { id, title },
    document: { filename, mime_type },
    signers: [
      ...requiredSigners(signers).map((signer) => {
        const { name, email, role, sent_at, opened_at, signed_at, signature } = signer
        if (role === 'cc' || signed_at === null || signature === null) {
          throw new Error(`${signer.id} of ${id} has not signed.`)
        }
        const { ip, user_agent, consent, name: signed_name } = signature
        const picture = pictures.get(signer.id) ?? null
        return {
          name,
          email,
          role,
          sent_at,
          opened_at,
          signed_at,
          ip,
          user_agent,
          consent,
          signed_name,
          picture,
        }
      }),
      ...signers.flatMap(({ name, email, role }) => (role === 'cc' ? [{ name, email, role }] : [])),
    ],
    audit_hash,
    completed_at: completedAt(envelope),
  }
}

/** The completion time of an envelope that is being sealed: the time of the last signature. */
export function completedAt({ id, sealing_since }: Pick<EnvelopeRecord, 'id' | 'sealing_since'>): string {
  if (sealing_since === null) throw new Error(`${id} is not being sealed.`)
  return sealing_since
}
