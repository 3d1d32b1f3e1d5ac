import { unmergedWords } from '#signing/signer/unmerged-schema.ts'
import type { UnalterableReason } from './unalterable.ts'

/** The words of the certificate in each language. */
export const certificateWords = {
  de: {
    title: 'Signaturzertifikat',
    page: (number: number, count: number) => `Seite ${number} von ${count}`,
    intro: (office: string) =>
      `${office} bestätigt mit dem Siegel dieser Datei, dass die folgenden Personen dem Dokument elektronisch zugestimmt haben. Es handelt sich um einfache elektronische Signaturen nach Art. 3 Nr. 10 eIDAS-Verordnung. Jede Änderung an der Datei macht das Siegel ungültig.`,
    envelope: 'Signaturvorgang',
    title_of_envelope: 'Titel',
    document: 'Dokument',
    sha256: 'SHA-256 des Originals',
    audit: 'Hash des letzten Protokolleintrags',
    completed: 'Abgeschlossen',
    person: (number: number, count: number) => `Person ${number} von ${count}`,
    email: 'E-Mail-Adresse',
    role: 'Rolle',
    roles: { signer: 'Unterzeichner', approver: 'Zustimmende Person', cc: 'Erhält eine Kopie' },
    sent: 'Link gesendet',
    opened: 'Geöffnet',
    signed: { signer: 'Unterschrieben', approver: 'Zugestimmt' },
    ip: 'IP-Adresse',
    user_agent: 'Browser',
    consent: 'Zustimmung',
    signed_name: 'Eingegebener Name',
    picture: 'Unterschrift',
    none: '–',
    attached: 'Das Original liegt dieser Datei unverändert als Anlage bei.',
    converted:
      'Das Original ist ein Bild; seine Seiten stehen in dieser Datei vor dem Zertifikat. Das Bild selbst liegt unverändert als Anlage bei.',
    reasons: {
      no_pages: 'Sein Format lässt sich nicht ohne Änderung um Seiten ergänzen.',
      encrypted: 'Es ist verschlüsselt.',
      signed: 'Es trägt bereits eine Signatur, die eine Änderung zerstören würde.',
      ...unmergedWords.de,
    } satisfies Record<UnalterableReason, string>,
  },
  en: {
    title: 'Certificate of signatures',
    page: (number: number, count: number) => `Page ${number} of ${count}`,
    intro: (office: string) =>
      `With the seal of this file, ${office} confirms that the following persons agreed to the document electronically. These are simple electronic signatures as defined in Art. 3 no. 10 of the eIDAS Regulation. Any change to the file makes the seal invalid.`,
    envelope: 'Envelope',
    title_of_envelope: 'Title',
    document: 'Document',
    sha256: 'SHA-256 of the original',
    audit: 'Hash of the last audit entry',
    completed: 'Completed',
    person: (number: number, count: number) => `Person ${number} of ${count}`,
    email: 'E-mail address',
    role: 'Role',
    roles: { signer: 'Signer', approver: 'Approver', cc: 'Receives a copy' },
    sent: 'Link sent',
    opened: 'Opened',
    signed: { signer: 'Signed', approver: 'Approved' },
    ip: 'IP address',
    user_agent: 'Browser',
    consent: 'Consent',
    signed_name: 'Typed name',
    picture: 'Signature',
    none: '–',
    attached: 'The original is attached to this file unchanged.',
    converted:
      'The original is a picture; its pages are in this file before the certificate. The picture itself is attached unchanged.',
    reasons: {
      no_pages: 'Pages cannot be added to its format without changing it.',
      encrypted: 'It is encrypted.',
      signed: 'It already has a signature, which a change would break.',
      ...unmergedWords.en,
    } satisfies Record<UnalterableReason, string>,
  },
} as const
