import { join } from 'node:path'
import PostalMime, { type Email } from 'postal-mime'
import { type MailEnvelope, mailFolder } from '#infra/local/mail-folder.ts'
import type { Answer, Api } from './api.ts'
import { growingPauses } from './growing-pauses.ts'
import { sharedService } from './the-shared-service.ts'

/** A message that the local SES accepted: as it was sent, and as another parser reads it. */
export type SentMail = { envelope: MailEnvelope; raw: Buffer; mail: Email }

export const outbound = '/api/v1/email/outbound'

let addresses = 0

/** An address to which no other test sends; `prefix` makes the local SES emit the event of that name. */
export function newAddress(prefix = ''): string {
  addresses += 1
  return `${prefix}mandant-${crypto.randomUUID()}-${addresses}@example.com`
}

/** Envelopes by their files. They never change: each is read once in a process, although every wait looks at all. */
const knownEnvelopes = new Map<string, MailEnvelope>()

/** The messages to an address, oldest first, sent by the shared service or by the service of `dataDir`. */
export async function sentTo(address: string, dataDir = sharedService().dataDir): Promise<SentMail[]> {
  const folder = mailFolder(join(dataDir, 'mail'))
  const found: SentMail[] = []
  for (const name of (await folder.names()).toReversed()) {
    const file = join(dataDir, name)
    const envelope = knownEnvelopes.get(file) ?? (await folder.envelope(name))
    if (envelope === undefined) continue
    knownEnvelopes.set(file, envelope)
    if (!envelope.destinations.includes(address)) continue
    const raw = (await folder.read(name)) ?? Buffer.alloc(0)
    found.push({ envelope, raw, mail: await PostalMime.parse(raw) })
  }
  return found
}

/** The envelopes of all messages that a service sent. */
export async function envelopesIn(dataDir: string): Promise<MailEnvelope[]> {
  const folder = mailFolder(join(dataDir, 'mail'))
  const envelopes = await Promise.all((await folder.names()).map(folder.envelope))
  return envelopes.map((envelope) => envelope ?? fail('A message has no envelope.'))
}

function fail(message: string): never {
  throw new Error(message)
}

/** Sends a mail with the second form of body. */
export function send(caller: Api, body: Record<string, unknown>): Promise<Answer> {
  return caller('POST', `${outbound}/send`, {
    body: { subject: 'Klageentwurf', body_html: '<p>Guten Tag</p>', ...body },
  })
}

/** Repeats a request until the answer is as expected. @throws Error with the last answer after the time limit */
export async function until(
  caller: Api,
  path: string,
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape they state themselves
  isDone: (body: any) => boolean,
  seconds = 60,
  // biome-ignore lint/suspicious/noExplicitAny: as above
): Promise<any> {
  const end = performance.now() + seconds * 1_000
  for await (const _ of growingPauses()) {
    const { body } = await caller('GET', path)
    if (isDone(body)) return body
    if (performance.now() > end) throw new Error(`${path} stays ${JSON.stringify(body)}`)
  }
}
