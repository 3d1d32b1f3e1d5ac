import { actors } from './envelope-states.ts'
import type { Certificate, EnvelopeDocumentRecord, EnvelopeRecord } from './ports.ts'

/** The drawn signatures of an envelope, by signer. */
export type Pictures = ReadonlyMap<string, Uint8Array>

/**
 * What the certificate of a document says (S7): facts of the record, which stay the same in every attempt. The envelope
 * was completed when the last who had to act signed. The audit trail gets no entry between that and `completed`, so its
 * newest hash is that of the last entry before completion.
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
      ...actors(signers).map((signer) => {
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

/** When an envelope that is sealed was completed: when the last who had to act signed. */
export function completedAt({ id, sealing_since }: Pick<EnvelopeRecord, 'id' | 'sealing_since'>): string {
  if (sealing_since === null) throw new Error(`${id} is not sealed.`)
  return sealing_since
}
