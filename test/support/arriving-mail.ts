import MailComposer from 'nodemailer/lib/mail-composer'
import { api } from './api.ts'
import type { Firm } from './firm.ts'
import { until } from './sent-mail.ts'
import { signMail } from './signed-mail.ts'

/** An arriving mail; missing fields get ordinary values. */
export type ArrivingMail = {
  from?: string
  to?: string[]
  cc?: string[]
  replyTo?: string
  subject?: string
  text?: string
  html?: string
  messageId?: string
  inReplyTo?: string
  references?: string[]
  attachments?: { filename: string; content: string | Uint8Array; contentType?: string; cid?: string }[]
}

/** The message as a mail program writes it. */
export async function messageOf(mail: ArrivingMail): Promise<Buffer> {
  const composer = new MailComposer({
    subject: 'Anfrage',
    text: 'Guten Tag, bitte rufen Sie mich an.',
    ...mail,
    attachments:
      mail.attachments?.map(({ content, ...one }) => ({ ...one, content: Buffer.from(content) })) ?? [],
  })
  return new Promise((resolve, reject) =>
    composer.compile().build((error, message) => (error ? reject(error) : resolve(message))),
  )
}

/** Delivers a mail to a firm through the webhook of the mail service. @returns the id of its record */
export async function deliver(firm: Firm, mail: ArrivingMail = {}): Promise<string> {
  const { from = 'Max Müller <max@mueller.example>', to = [firm.workspace.inbound_address] } = mail
  const messageId = mail.messageId ?? `<${crypto.randomUUID()}@mueller.example>`
  return deliverMessage(firm, await messageOf({ ...mail, from, to, messageId }), from)
}

/** Like `deliver`, for a raw message. */
export async function deliverMessage(firm: Firm, raw: Buffer, from = 'max@mueller.example'): Promise<string> {
  const form = new FormData()
  const fields = {
    from,
    sender: /<([^<>]*)>$/.exec(from)?.[1] ?? from,
    'X-Mailgun-Spf': 'Pass',
    recipient: firm.workspace.inbound_address,
    'body-mime': raw.toString('latin1'),
  }
  for (const [name, value] of Object.entries({ ...signMail(), ...fields })) form.append(name, value)
  const { status, body } = await api(firm.baseUrl, undefined)('POST', '/api/v1/email/inbound', { raw: form })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.correspondence_id
}

/** Delivers a mail and waits until it is read. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape they state themselves
export async function arrived(firm: Firm, mail: ArrivingMail = {}): Promise<any> {
  return read(firm, await deliver(firm, mail))
}

/** Waits until a mail is read. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export function read(firm: Firm, id: string): Promise<any> {
  return until(firm.owner, `/api/v1/correspondence/${id}`, ({ status }) => status !== 'received', 60)
}

/** Waits until a mail is judged. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export function judged(firm: Firm, id: string): Promise<any> {
  return until(firm.owner, `/api/v1/correspondence/${id}`, ({ triage }) => triage !== null, 60)
}

/** Waits until a mail is in a case. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export function filed(firm: Firm, id: string): Promise<any> {
  return until(firm.owner, `/api/v1/correspondence/${id}`, ({ case_id }) => case_id !== null, 60)
}

/** The inbox of a firm, newest first. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export async function inboxOf({ owner }: Firm, query = ''): Promise<any[]> {
  return (await owner('GET', `/api/v1/inbox?limit=100${query}`)).body.data
}

/** The entries of a case about mail, the oldest first. */
export async function mailEntries(
  { owner }: Firm,
  caseId: string,
): Promise<{ type: string; summary: string; actor: { type: string; name: string }; ref: { id: string } }[]> {
  const { data } = (await owner('GET', `/api/v1/cases/${caseId}/timeline?limit=100`)).body
  return data.filter(({ type }: { type: string }) => type.startsWith('mail.')).toReversed()
}

/** A new case. */
export async function newCase({ owner }: Firm, fields: Record<string, unknown> = {}): Promise<string> {
  return (await owner('POST', '/api/v1/cases', { body: { name: 'Müller ./. Becker', ...fields } })).body.id
}
