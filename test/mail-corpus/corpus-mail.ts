import type { Category, Priority } from '#triage/schema.ts'
import type { CaseKey } from './firm.ts'

/** Programs that write mail, each with its own MIME, quotes and forwards (`mail-programs.ts`). */
export type MailProgram =
  | 'outlook'
  | 'apple-mail'
  | 'iphone'
  | 'gmail'
  | 'thunderbird'
  | 'webmail'
  | 'court'
  | 'system'
  | 'newsletter'

/** An earlier mail as a quote or a forward shows it. */
export type EarlierMail = { from: string; to?: string; on?: string; subject?: string; text: string }

/** `text` is what extraction gives for the attachment; absent, it has none. */
export type CorpusAttachment = { name: string; text?: string; xml?: string }

/** A mail of the corpus with its truth, as it stands in the office of `firm.ts`. */
export type CorpusMail = {
  id: string
  by: MailProgram
  /** Empty for a mail without sender. */
  from: string
  subject: string
  text: string
  /** The message id that it answers, and older ones. */
  answers?: string
  thread?: string[]
  quotes?: EarlierMail
  /** The answer stands below what it quotes. */
  below?: boolean
  forwards?: EarlierMail
  attachments?: CorpusAttachment[]
  headers?: Record<string, string>
  verdict?: 'spam' | 'virus'
  is: Category
  /** Only in the batch of the reception desk. */
  priority?: Priority
  /** The case into which it can be filed without a person. */
  files?: CaseKey
  /** The case to which it belongs, which a person must confirm. */
  belongs?: CaseKey
  /** Dates (`2026-12-15`) and periods (`2 week`) that its hints must name. */
  hints?: string[]
}

const office = 'Kanzlei Morgenroth <akten@eingang.kanzlei-morgenroth.example>'

/** A mail of the office, as answers quote it. */
export function fromOffice(text: string, subject = 'Ihre Angelegenheit'): EarlierMail {
  return { from: office, on: '18.11.2026 09:12', subject, text }
}

/** An XJustiz record of a court with its own reference and, as it knows it, the recipient's. */
export function xjustiz(
  court: string,
  reference: string,
  recipient: string,
  prefix = 'tns:',
): CorpusAttachment {
  const namespace = prefix === '' ? 'xmlns' : `xmlns:${prefix.slice(0, -1)}`
  const tag = (name: string, content: string) => `<${prefix}${name}>${content}</${prefix}${name}>`
  return {
    name: 'xjustiz_nachricht.xml',
    xml: `<?xml version="1.0" encoding="UTF-8"?>
<${prefix}nachricht.gds.uebermittlungSchriftgutobjekte.0005005 ${namespace}="http://www.xjustiz.de">
<${prefix}nachrichtenkopf xjustizVersion="3.5.1">${tag('aktenzeichen.absender', reference)}${
      recipient === '' ? '' : tag('aktenzeichen.empfaenger', recipient)
    }${tag('erstellungszeitpunkt', '2026-11-20T09:30:00+01:00')}${tag(
      'auswahl_absender',
      `<${prefix}absender.gericht listURI="urn:xoev-de:xjustiz:codeliste:gds.gerichte" listVersionID="3.5"><code>${court}</code></${prefix}absender.gericht>`,
    )}${tag('auswahl_empfaenger', tag('empfaenger.sonstige', 'Kanzlei Morgenroth'))}${tag('eigeneNachrichtenID', '5f1c')}</${prefix}nachrichtenkopf>
</${prefix}nachricht.gds.uebermittlungSchriftgutobjekte.0005005>
`,
  }
}
