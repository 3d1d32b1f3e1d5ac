import { escapeHtml } from '#kernel/escape-html.ts'
import { withoutDirectionChanges } from '#kernel/text.ts'
import type { MailKind } from '../queues.ts'
import type { SignerRole } from '../status-schema.ts'

/** The facts for the texts of a mail. Times are ISO 8601. */
export type MailFacts = {
  office: string
  /** The user on whose behalf the mail is sent. */
  sender: string
  /** The recipient: a signer with a role, or the user who created the envelope. */
  recipient: { name: string; role: SignerRole | 'creator' }
  title: string
  /** The names of the files. */
  documents: string[]
  /** The office's message to the signers. */
  message: string | null
  expires_at: string | null
  time_zone: string
  /** The address of the signer's page; null if the mail has no link. */
  link: string | null
  /** The page asks for an access code. */
  has_access_code: boolean
  /** Where everybody can check whether a sealed file was changed. */
  verify_url: string
  /** How the mail delivers the sealed copies. */
  copies: 'attached' | 'linked' | 'none'
  /** The person who declined and the reason; null if nobody did. */
  declined: { name: string; reason: string | null } | null
  /** The names of the people who have not acted. */
  missing: string[]
}

/** `recordedHtml` is `html` without the magic link. Neither loads external content or contains tracking. */
type MailText = { subject: string; html: string; recordedHtml: string }

/** Writes a mail of an envelope: German first, English below. Texts from users are escaped. */
export function mailText(kind: MailKind, facts: MailFacts): MailText {
  const { subject, de, en } = texts[kind]({ ...facts, ...cleanTexts(facts) })
  const write = (link: Link | null) =>
    `<div style="font-family: Arial, sans-serif; font-size: 15px; line-height: 1.5">${[
      `<div lang="de">${de(link).join('')}</div>`,
      `<hr><div lang="en">${en(link).join('')}</div>`,
    ].join('')}</div>`
  const { link } = facts
  return {
    subject,
    html: write(link === null ? null : (text) => button(link, text)),
    recordedHtml: write(link === null ? null : (text) => `<p><b>${text}</b> […]</p>`),
  }
}

/** Makes the paragraph with the magic link and this text, or its replacement in the recorded mail. */
type Link = (text: string) => string

type Text = {
  subject: string
  de: (link: Link | null) => string[]
  en: (link: Link | null) => string[]
}

const texts: Record<MailKind, (facts: MailFacts) => Text> = {
  invitation: (facts) =>
    requestText(facts, {
      subject: isApprover(facts)
        ? ['Bitte zustimmen', 'Please approve']
        : ['Bitte unterschreiben', 'Please sign'],
      de: [],
      en: [],
    }),

  your_turn: (facts) =>
    requestText(facts, {
      subject: ['Sie sind an der Reihe', 'Your turn'],
      de: ['Die Beteiligten vor Ihnen sind fertig. Nun sind Sie an der Reihe.'],
      en: ['The people before you have finished. Now it is your turn.'],
    }),

  reminder: (facts) =>
    requestText(facts, {
      subject: ['Erinnerung', 'Reminder'],
      de: ['Das ist eine Erinnerung. Der Link in dieser E-Mail ersetzt den früheren.'],
      en: ['This is a reminder. The link in this e-mail replaces the earlier one.'],
    }),

  completed: (facts) => {
    const copies = {
      attached: ['Die gesiegelten Dokumente sind beigefügt.', 'The sealed documents are attached.'],
      linked: [
        'Sie können die gesiegelten Dokumente unten abrufen.',
        'You can download the sealed documents below.',
      ],
      none:
        facts.recipient.role === 'creator'
          ? ['Die gesiegelten Dokumente liegen in der Akte.', 'The sealed documents are in the case.']
          : [
              'Die gesiegelten Dokumente erhalten Sie auf Anfrage von der Kanzlei.',
              'Ask the office for the sealed documents.',
            ],
    }[facts.copies]
    return noticeText(facts, {
      subject: ['Fertig unterschrieben', 'Signed'],
      de: [
        `Alle Beteiligten haben „${escapeHtml(facts.title)}“ unterschrieben. ${copies[0]}`,
        list(facts.documents),
        `Bitte bewahren Sie die Dateien unverändert auf. Ob eine Datei unverändert ist, können Sie hier prüfen: ${anchor(facts.verify_url)}`,
      ],
      en: [
        `Everybody has signed “${escapeHtml(facts.title)}”. ${copies[1]}`,
        `Please keep the files unchanged. You can check whether a file was changed here: ${anchor(facts.verify_url)}`,
      ],
    })
  },

  declined: (facts) => {
    const { declined, recipient } = facts
    const title = escapeHtml(facts.title)
    if (recipient.role !== 'creator' || declined === null)
      return noticeText(facts, {
        subject: ['Abgelehnt', 'Declined'],
        de: [
          `Eine beteiligte Person hat „${title}“ abgelehnt. Der Signaturvorgang ist damit für alle beendet.`,
          'Sie müssen nichts mehr tun. Ein Link, den Sie früher erhalten haben, ist nicht mehr gültig.',
        ],
        en: [
          `One of the people involved has declined “${title}”. This ends the signing process for everybody.`,
          'You do not need to do anything. Any link that you received is no longer valid.',
        ],
      })
    const reason = declined.reason === null ? [] : [quote(declined.reason)]
    return noticeText(facts, {
      subject: ['Abgelehnt', 'Declined'],
      de: [
        `${escapeHtml(declined.name)} hat „${title}“ abgelehnt. Der Signaturvorgang ist damit für alle beendet.`,
        ...reason,
      ],
      en: [
        `${escapeHtml(declined.name)} has declined “${title}”. This ends the signing process for everybody.`,
      ],
    })
  },

  expired: (facts) => {
    const title = escapeHtml(facts.title)
    const until = expiryText(facts)
    if (facts.recipient.role !== 'creator')
      return noticeText(facts, {
        subject: ['Abgelaufen', 'Expired'],
        de: [
          `Die Zeit, in der „${title}“ unterschrieben werden konnte, ist ${until && `am ${until.de} `}abgelaufen.`,
          'Ihr Link ist nicht mehr gültig. Wenn noch etwas zu unterschreiben ist, meldet sich die Kanzlei bei Ihnen.',
        ],
        en: [
          `The time for signing “${title}” ended${until && ` on ${until.en}`}.`,
          'Your link is no longer valid. If there is still something to be signed, the office will contact you.',
        ],
      })
    return noticeText(facts, {
      subject: ['Abgelaufen', 'Expired'],
      de: [
        `Die Zeit, in der „${title}“ unterschrieben werden konnte, ist ${until && `am ${until.de} `}abgelaufen. Es fehlen:`,
        list(facts.missing),
      ],
      en: [
        `The time for signing “${title}” ended${until && ` on ${until.en}`}. The people named above have not acted.`,
      ],
    })
  },
}

type Paragraphs = { subject: readonly [string, string]; de: string[]; en: string[] }

/** A mail that asks a signer to act, with the link and an explanation of it. */
function requestText(facts: MailFacts, { subject, de, en }: Paragraphs): Text {
  const title = escapeHtml(facts.title)
  const who = `${escapeHtml(facts.sender)} (${escapeHtml(facts.office)})`
  const until = expiryText(facts)
  const deDo = isApprover(facts) ? 'zustimmen' : 'unterschreiben'
  const deToDo = isApprover(facts)
    ? `„${title}“ elektronisch zuzustimmen`
    : `„${title}“ elektronisch zu unterschreiben`
  const enDo = isApprover(facts) ? 'approve' : 'sign'
  const message = (from: string) => (facts.message ? [`${from}:`, quote(facts.message)] : [])
  return {
    subject: subjectOf(facts, subject),
    de: (link) => [
      ...paragraphs([
        `Guten Tag ${escapeHtml(facts.recipient.name)},`,
        `${who} bittet Sie, ${deToDo}:`,
        list(facts.documents),
        ...de,
        ...message(`Nachricht von ${escapeHtml(facts.sender)}`),
      ]),
      link?.(`Dokumente ansehen und ${deDo}`) ?? '',
      ...paragraphs([
        `Der Link ist ${until && `bis ${until.de} gültig und `}nur für Sie bestimmt: Wer ihn hat, kann in Ihrem Namen handeln. Bitte leiten Sie diese E-Mail nicht weiter. Ein Benutzerkonto brauchen Sie nicht.`,
        ...(facts.has_access_code
          ? [
              'Die Seite fragt nach einem Zugangscode. Sie erhalten ihn von der Kanzlei auf einem anderen Weg.',
            ]
          : []),
        'Haben Sie Fragen, oder haben Sie diese E-Mail nicht erwartet? Antworten Sie einfach auf diese E-Mail.',
        `Mit freundlichen Grüßen<br>${escapeHtml(facts.office)}`,
      ]),
    ],
    en: (link) => [
      ...paragraphs([
        `Dear ${escapeHtml(facts.recipient.name)},`,
        `${who} asks you to ${enDo} “${title}” electronically. The documents are named above.`,
        ...en,
      ]),
      link?.(`View and ${enDo} the documents`) ?? '',
      ...paragraphs([
        `The link is ${until && `valid until ${until.en} and `}for you alone: anybody who has it can act in your name. Please do not forward this e-mail. You do not need an account.`,
        ...(facts.has_access_code
          ? ['The page asks for an access code. The office gives it to you separately.']
          : []),
        'If you have questions or did not expect this e-mail, just reply to it.',
        `Kind regards<br>${escapeHtml(facts.office)}`,
      ]),
    ],
  }
}

/** A mail that reports an event. */
function noticeText(facts: MailFacts, { subject, de, en }: Paragraphs): Text {
  const name = escapeHtml(facts.recipient.name)
  const office = escapeHtml(facts.office)
  return {
    subject: subjectOf(facts, subject),
    de: () => paragraphs([`Guten Tag ${name},`, ...de, `Mit freundlichen Grüßen<br>${office}`]),
    en: () => paragraphs([`Dear ${name},`, ...en, `Kind regards<br>${office}`]),
  }
}

function isApprover({ recipient }: MailFacts): boolean {
  return recipient.role === 'approver'
}

function subjectOf({ title }: MailFacts, [de, en]: readonly [string, string]): string {
  return `${de}: ${title} (${en})`
}

/** The expiry of the envelope, in the time zone of the office; empty if it has none. */
function expiryText({ expires_at, time_zone }: MailFacts): { de: string; en: string } | '' {
  if (expires_at === null) return ''
  const written = (locale: string) =>
    new Intl.DateTimeFormat(locale, {
      dateStyle: 'long',
      timeStyle: 'short',
      timeZone: time_zone,
    }).format(new Date(expires_at))
  return { de: `${written('de-DE')} Uhr`, en: `${written('en-GB')} (${time_zone})` }
}

/** Puts each part into a paragraph; lists and quotes stay as they are. */
function paragraphs(parts: string[]): string[] {
  return parts.map((part) => (/^<(ul|blockquote)/.test(part) ? part : `<p>${part}</p>`))
}

function list(items: string[]): string {
  return `<ul>${items.map((item) => `<li>${escapeHtml(item)}</li>`).join('')}</ul>`
}

/** A user's text, with its line breaks. */
function quote(text: string): string {
  return `<blockquote>${escapeHtml(text).replace(/\r\n?|\n/g, '<br>')}</blockquote>`
}

function anchor(url: string): string {
  return `<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>`
}

function button(url: string, text: string): string {
  const style =
    'display: inline-block; padding: 10px 18px; background-color: #1f4b99; color: #ffffff; text-decoration: none; border-radius: 4px'
  return `<p><a href="${escapeHtml(url)}" style="${style}">${text}</a></p>`
}

/** A name or title in one line of the mail. */
export function oneLine(text: string): string {
  return withoutDirectionChanges(text)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
}

/** The facts with clean texts: no direction marks, and each name and title in one line. */
function cleanTexts({ office, sender, recipient, title, documents, message, declined, missing }: MailFacts) {
  const text = (written: string | null) => (written === null ? null : withoutDirectionChanges(written))
  return {
    office: oneLine(office),
    sender: oneLine(sender),
    recipient: { ...recipient, name: oneLine(recipient.name) },
    title: oneLine(title),
    documents: documents.map(oneLine),
    message: text(message),
    declined: declined && { name: oneLine(declined.name), reason: text(declined.reason) },
    missing: missing.map(oneLine),
  }
}
