import type { DocumentKey } from './demo-documents.ts'

export type DemoMail = {
  to: readonly string[]
  subject: string
  body_html: string
  /** The index of its case in `cases`. */
  case: number
  attachments: readonly DocumentKey[]
}

/** A mail that the first workspace has sent. Mail stays on this machine. */
export const sentMail: DemoMail = {
  to: ['Anna Meier <anna.meier@example.com>'],
  subject: 'Ihre Klageschrift in Sachen Meier ./. Schulze',
  body_html:
    '<p>Sehr geehrte Frau Meier,</p><p>anbei die Klageschrift, die wir heute eingereicht haben.</p><p>Mit freundlichen Grüßen<br>Dr. Katharina Lindner</p>',
  case: 12,
  attachments: ['klageschrift'],
}

/** A draft of the first workspace. */
export const draft: DemoMail = {
  to: ['Anna Meier <anna.meier@example.com>'],
  subject: 'Vorbereitung der Verhandlung',
  body_html:
    '<p>Sehr geehrte Frau Meier,</p><p>bitte bringen Sie zum Termin das Original des Kaufvertrags mit.</p>',
  case: 12,
  attachments: ['kaufvertrag'],
}

/** Mail that the first workspace has received, as the mail service reports it. */
export const receivedMails: readonly { from: string; subject: string; 'body-plain': string }[] = [
  {
    from: 'Ralf Schulze <ralf.schulze@example.com>',
    subject: 'Kaufpreis',
    'body-plain':
      'Guten Tag,\n\ndas Auto hatte einen Mangel am Getriebe. Ich schlage vor, dass ich 3.500 Euro zahle.\n\nRalf Schulze',
  },
  {
    from: 'Nora Albrecht <nora.albrecht@example.com>',
    subject: 'Neue Sache: Eigenbedarf',
    'body-plain':
      'Sehr geehrte Damen und Herren,\n\nmein Vermieter hat mir wegen Eigenbedarfs gekündigt. Könnten Sie mich vertreten?\n\nNora Albrecht',
  },
]

/** A draft of a beA message of the second workspace, whose postbox is connected. */
export const beaDraft = {
  subject: 'Petrović ./. Nordlicht Energie, Anzeige der Vertretung',
  body: 'Ausweislich der anliegenden Vollmacht vertreten wir die Klägerin.',
}
