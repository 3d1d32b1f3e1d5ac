import { randomUUID } from 'node:crypto'
import PostalMime, { type Address, type Header, type Mailbox } from 'postal-mime'
import { systemClock } from '#kernel/clock.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { acceptedAt, type MailEnvelope, mailFolder } from '../mail-folder.ts'
import { mailEventQueue, mailEventsOf } from './mail-events.ts'
import { queryProtocol, queryResult, readForm } from './query-protocol.ts'
import type { Credentials } from './signature.ts'
import { ServiceError, type SignedServer, serveSigned } from './signed-server.ts'

/** The SES of this machine. */
export type Ses = SignedServer & {
  /**
   * Emits again the events of the last day's messages: the day that ends with the newest message, since a killed run
   * may have ended long ago. The queue is in memory, and that run may not have emitted the events. Consumers accept
   * the same event any number of times.
   */
  emitAgain: () => Promise<void>
  /** Whether the events of all accepted messages are in the queue. */
  hasEmitted: () => boolean
}

type SesOptions = {
  /** The folder in which messages are stored. */
  folder: string
  credentials: Credentials
  /** The one configuration set that exists. */
  configurationSet: string
}

/**
 * SES on this machine, as far as the functions use it: `SendRawEmail` in the Query protocol. A message is stored in a
 * file before the call is answered; then its events are put into the queue. It is sent to nobody.
 *
 * Limits and errors are the same as in SES: 10 MB, 50 recipients, addresses in ASCII, a From header. Unlike SES it
 * requires `Source` and `Destinations`, and treats every sender as verified.
 */
export async function startSes({ folder, credentials, configurationSet }: SesOptions): Promise<Ses> {
  const messages = mailFolder(folder)
  await messages.removeUnfinished()
  const queue = mailEventQueue()
  const emit = async (envelope: MailEnvelope): Promise<void> => {
    for (const event of mailEventsOf(envelope)) await queue.enqueue(event)
  }
  const emitting = new Set<Promise<void>>()
  const emitSoon = (envelope: MailEnvelope): void => {
    const emission = emit(envelope)
      .catch((error: unknown) =>
        console.error(`The events of ${envelope.message_id} will be emitted with the next start:`, error),
      )
      .finally(() => emitting.delete(emission))
    emitting.add(emission)
  }

  const server = await serveSigned(
    { service: 'ses', credentials, protocol: queryProtocol(namespace), maxBytes: maxBodyBytes },
    async ({ operation, body }) => {
      if (operation !== 'SendRawEmail')
        throw new ServiceError(
          'InvalidAction',
          `Could not find operation ${operation} for version 2010-12-01`,
        )
      const { raw, ...input } = readInput(body, configurationSet)
      const envelope = { ...input, ...(await readHeader(raw)), ...newMessage() }
      await messages.add(envelope, raw)
      emitSoon(envelope)
      const result = queryResult(namespace, operation, { MessageId: envelope.message_id })
      return { status: 200, body: result }
    },
  )
  return {
    endpoint: server.endpoint,
    emitAgain: async () => {
      const names = await messages.names()
      const [newest] = names
      if (newest === undefined) return
      const since = acceptedAt(newest).getTime() - 24 * 3_600_000
      const recent = names.filter((name) => acceptedAt(name).getTime() >= since)
      await inParallel(recent.toReversed(), async (name) => {
        const envelope = await messages.envelope(name)
        if (envelope !== undefined) await emit(envelope)
      })
    },
    hasEmitted: () => emitting.size === 0,
    close: async () => {
      await server.close()
      await Promise.all(emitting)
      queue.close()
    },
  }
}

const namespace = 'http://ses.amazonaws.com/doc/2010-12-01/'
const maxMessageBytes = 10 * 1024 * 1024
/** A message of that size in base64, percent-encoded, with its recipients and tags. */
const maxBodyBytes = 2 * maxMessageBytes
const maxRecipients = 50
const maxHeaderBytes = 10 * 1024

type Input = Pick<MailEnvelope, 'source' | 'destinations' | 'configuration_set' | 'tags'> & { raw: Buffer }

/** @throws ServiceError as SES does */
function readInput(body: Buffer, configurationSet: string): Input {
  const form = readForm(body)
  if (form === undefined) throw new ServiceError('MalformedQueryString', 'The form cannot be read.')
  const source = form.get('Source') ?? ''
  const destinations = membersOf(form, 'Destinations')
  if (destinations.length === 0) throw invalid('The local SES needs Destinations.')
  if (destinations.length > maxRecipients) throw invalid(`Recipient count exceeds ${maxRecipients}.`)
  for (const address of [source, ...destinations]) checkAddress(address)

  const raw = Buffer.from(form.get('RawMessage.Data') ?? '', 'base64')
  if (raw.length > maxMessageBytes)
    throw invalid(`Message length is more than ${maxMessageBytes} bytes long: '${raw.length}'.`)
  const named = form.get('ConfigurationSetName')
  if (named !== undefined && named !== configurationSet)
    throw new ServiceError('ConfigurationSetDoesNotExist', `Configuration set <${named}> does not exist.`)
  return { raw, source, destinations, configuration_set: named ?? null, tags: readTags(form) }
}

/** The values of `Destinations.member.1`, `Destinations.member.2` and so on. */
function membersOf(form: Map<string, string>, list: string, field = ''): string[] {
  const values: string[] = []
  for (;;) {
    const value = form.get(`${list}.member.${values.length + 1}${field}`)
    if (value === undefined) return values
    values.push(value)
  }
}

function readTags(form: Map<string, string>): Record<string, string> {
  const names = membersOf(form, 'Tags', '.Name')
  const tags = names.map((name, at) => {
    const value = form.get(`Tags.member.${at + 1}.Value`) ?? ''
    for (const text of [name, value]) {
      if (!/^[\w.@-]{1,256}$/.test(text)) throw invalid(`Invalid tag name or value: <${name}> <${value}>.`)
    }
    return [name, value] as const
  })
  return Object.fromEntries(tags)
}

function checkAddress(address: string): void {
  const [, localPart, domain = ''] = /^([^@]*)@([^@]*)$/.exec(address) ?? []
  if (localPart === undefined) throw invalid("Missing final '@domain'")
  if (!/^[\x21-\x7e]{1,64}$/.test(localPart) || /[\s<>(),;:"[\]\\]/.test(localPart))
    throw invalid('Local address contains control or whitespace')
  if (!/^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z][a-z\d-]*[a-z\d]$/i.test(domain))
    throw invalid('Domain contains illegal character')
}

type ReadHeader = Omit<MailEnvelope, 'message_id' | 'accepted_at' | keyof Input>

/** @throws ServiceError for a message without the header that SES requires */
async function readHeader(raw: Buffer): Promise<ReadHeader> {
  const end = raw.toString('latin1', 0, maxParsedHeaderBytes).search(/\r?\n\r?\n/)
  const header = raw.subarray(0, end === -1 ? Math.min(raw.length, maxParsedHeaderBytes) : end)
  const { headers, from, to, cc, subject, messageId, date } = await parseHeader(header)
  if (from === undefined) throw invalid("Missing required header 'From'.")
  return {
    headers: firstOf(headers),
    headers_truncated: firstOf(headers).length < headers.length,
    subject: subject ?? '',
    from: addressesOf([from]),
    to: addressesOf(to),
    cc: addressesOf(cc),
    date: date ?? null,
    header_message_id: messageId ?? null,
  }
}

const maxParsedHeaderBytes = 256 * 1024

async function parseHeader(header: Buffer) {
  try {
    return await PostalMime.parse(header)
  } catch (error) {
    throw invalid(`The header cannot be read: ${String(error)}`)
  }
}

/** The first 10 KB of the header lines. */
function firstOf(headers: Header[]): MailEnvelope['headers'] {
  let length = 0
  const first = headers.map(({ originalKey: name, value }) => ({ name, value }))
  const end = first.findIndex(({ name, value }) => {
    length += name.length + value.length
    return length > maxHeaderBytes
  })
  return end === -1 ? first : first.slice(0, end)
}

function addressesOf(addresses: Address[] = []): string[] {
  const mailboxes = addresses.flatMap((one): Mailbox[] => one.group ?? [one])
  return mailboxes.map(({ name, address }) => (name === '' ? address : `${name} <${address}>`))
}

/** An id in the format of SES in eu-central-1: its region and the time, 16 digits, then a UUID. */
function newMessage(): Pick<MailEnvelope, 'message_id' | 'accepted_at'> {
  const now = systemClock.now()
  const time = now.getTime().toString(16).padStart(12, '0')
  return { message_id: `0107${time}-${randomUUID()}-000000`, accepted_at: now.toISOString() }
}

function invalid(message: string): ServiceError {
  return new ServiceError('InvalidParameterValue', message)
}
