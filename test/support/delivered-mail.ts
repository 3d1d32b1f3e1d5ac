import type { Api } from './api.ts'
import { sendBySmtp } from './smtp-client.ts'
import { sharedService } from './the-shared-service.ts'

/** The address at which the shared service receives mail by SMTP. */
export function smtpUrl(): string {
  const { smtp_url } = sharedService().credentials
  if (smtp_url === undefined) throw new Error('The service receives no mail.')
  return smtp_url
}

let messages = 0

/** A message as a mail program writes it, with its own id. `header` replaces or adds fields; null removes one. */
export function rawMessage(header: Record<string, string | null> = {}, body = 'Guten Tag'): string {
  messages += 1
  const fields = {
    From: 'Anna Meier <anna.meier@example.com>',
    To: 'kanzlei@inbound.example.de',
    Date: 'Fri, 20 Nov 2026 09:00:00 +0100',
    'Message-ID': `<${crypto.randomUUID()}-${messages}@example.com>`,
    Subject: `Nachricht ${messages}`,
    ...header,
  }
  const lines = Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : `${name}: ${value}`))
  return `${lines.join('\r\n')}\r\n\r\n${body}\r\n`
}

/** Sends a message to the shared service by SMTP; returns its answer. @throws if it refuses all recipients */
export async function deliver(to: string[], raw: string | Uint8Array): Promise<string> {
  return (await sendBySmtp(smtpUrl(), { to, raw })).response
}

/** A mail in the list of correspondence. */
export type ListedMail = {
  id: string
  direction: string
  status: string
  subject: string
  from: { name: string | null; email: string }
  verdicts: Record<string, string> | null
}

/** All received mail of a workspace, newest first. */
export async function receivedBy(owner: Api): Promise<ListedMail[]> {
  const mails: ListedMail[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const path = `/api/v1/correspondence?direction=inbound&limit=100${cursor && `&cursor=${cursor}`}`
    const { body } = await owner('GET', path)
    mails.push(...body.data)
    cursor = body.pagination.cursor
  }
  return mails
}

/** The stored bytes of a received message. */
export async function rawOf(owner: Api, id: string): Promise<Buffer> {
  return Buffer.from((await owner('GET', `/api/v1/correspondence/${id}/raw`)).bytes)
}
