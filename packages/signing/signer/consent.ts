import type { SignerRole } from '../status-schema.ts'

/** The languages of the signer's page. */
export const signingLanguages = ['de', 'en'] as const

export type SigningLanguage = (typeof signingLanguages)[number]

const words = {
  de: {
    signer:
      'Ich habe die Dokumente gelesen. Ich unterschreibe sie elektronisch und bin damit einverstanden, dass meine Unterschrift so gilt, als hätte ich den Namen unter die Dokumente gesetzt.',
    approver: 'Ich habe die Dokumente gelesen und stimme ihnen zu.',
  },
  en: {
    signer:
      'I have read the documents. I sign them electronically and agree that my signature counts as if I had put my name under the documents.',
    approver: 'I have read the documents and agree to them.',
  },
} as const

/** The consent of a signer or approver, in the words that the page shows and the certificate repeats. */
export function consentOf(role: SignerRole, language: SigningLanguage): string {
  return words[language][role === 'approver' ? 'approver' : 'signer']
}
