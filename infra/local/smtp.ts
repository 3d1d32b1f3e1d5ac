import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerAddress, type SMTPServerDataStream } from 'smtp-server'
import { systemClock } from '#kernel/clock.ts'
import { CannotStart } from './cannot-start.ts'
import type { Disk } from './disk.ts'
import type { Gate } from './gate.ts'
import { invoke } from './invoke.ts'
import type { LocalFunction } from './load-functions.ts'
import { type ReceivedMessage, receiptEvent } from './mail-receipts.ts'
import type { ReceivedMail } from './received-mail.ts'

/** The mail server of this machine. */
export type Smtp = {
  /** `smtp://127.0.0.1:<port>`. */
  url: string
  /** Accepts no more mail, finishes the mail that is being received, and closes. */
  close: () => Promise<void>
}

export type SmtpOptions = {
  /** 0 for a free one. */
  port: number
  /** The function that records a message by its receipt. */
  receiveMail: LocalFunction
  /** Whether any workspace receives mail for this address. */
  isRecipient: (email: string) => Promise<boolean>
  messages: Pick<ReceivedMail, 'put' | 'remove'>
  disk: Disk
  /** Runs the recording of a message, but not while the clock is moved. */
  beside: Gate['pass']
  limits?: Partial<typeof smtpLimits>
}

/** SES receives messages of 40 MB, and names a limit of 100 recipients for a message. */
export const smtpLimits = {
  messageBytes: 40 * 1024 * 1024,
  recipients: 100,
  connections: 20,
  /** The limit for a command line; lines of the message may be longer. */
  commandBytes: 4_096,
  /** How long a client may send nothing. */
  idleMilliseconds: 60_000,
  /** How long a client may take to finish its message when the service stops. */
  closeMilliseconds: 5_000,
}

/**
 * Receives mail as SES does: stores the message in the bucket, then calls the function `receive-mail` with the event
 * that SES publishes. It answers 250 only after the function has recorded the message in each addressed workspace,
 * and the record is on the disk. A message that was not recorded is answered with 451, with a full disk 452, and
 * removed: its sender tries again.
 *
 * It listens on the loopback interface, without TLS and passwords. A recipient of no workspace is refused with 550, a
 * message of more than 40 MiB with 552. It checks neither for spam and viruses nor the sender.
 *
 * @throws CannotStart if the port is taken or not permitted
 */
export async function startSmtp(options: SmtpOptions): Promise<Smtp> {
  const { port, isRecipient } = options
  const limits = { ...smtpLimits, ...options.limits }
  const server = new SMTPServer({
    name: 'localhost',
    banner: 'Aktenlage',
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: limits.messageBytes,
    rejectOversized: true,
    maxRecipients: limits.recipients,
    maxClients: limits.connections,
    maxCommandLength: limits.commandBytes,
    maxAllowedUnauthenticatedCommands: false,
    socketTimeout: limits.idleMilliseconds,
    closeTimeout: limits.closeMilliseconds,
    onRcptTo: ({ address }, _, answer) =>
      void isRecipient(address).then(
        (isKnown) => answer(isKnown ? null : reply(550, `No workspace receives mail for <${address}>.`)),
        (error: unknown) => answer(notNow('A recipient could not be looked up', error)),
      ),
    onData: (stream, { envelope }, answer) =>
      void receive(options, stream, envelope).then(
        (messageId) => answer(null, messageId && `Recorded ${messageId}`),
        (error: unknown) => answer(refusalOf(stream, error)),
      ),
  })
  // If a connection breaks off, the client must handle it: its message was not answered with 250.
  server.on('error', () => {})
  return { url: `smtp://127.0.0.1:${await listen(server, port)}`, close: () => close(server) }
}

/** Stores and records a message. @returns its id; undefined if it is too large: the server itself refuses it */
async function receive(
  { receiveMail, messages, disk, beside }: Pick<SmtpOptions, 'receiveMail' | 'messages' | 'disk' | 'beside'>,
  stream: SMTPServerDataStream,
  envelope: { mailFrom: SMTPServerAddress | false; rcptTo: SMTPServerAddress[] },
): Promise<string | undefined> {
  const recipients = envelope.rcptTo.map(({ address }) => address)
  const source = envelope.mailFrom === false ? '' : envelope.mailFrom.address
  const raw = await readMessage(stream)
  if (raw === undefined) return undefined
  if (await disk.isFull()) throw new DiskFull('The disk is full.')
  return beside(async () => {
    const message: Omit<ReceivedMessage, 'bucketName' | 'objectKey'> = {
      messageId: randomUUID().replaceAll('-', ''),
      receivedAt: systemClock.now(),
      source,
      recipients,
    }
    const stored = await messages.put(message.messageId, raw)
    try {
      const answer = await invoke(receiveMail, receiptEvent({ ...message, ...stored }), randomUUID())
      const { batchItemFailures } = answer as { batchItemFailures: unknown[] }
      if (batchItemFailures.length > 0)
        throw new Error(`The function ${receiveMail.name} reported a failure.`)
      await disk.flush()
    } finally {
      // By now the message is stored with its record, or its sender gets an error.
      await messages.remove(stored.objectKey).catch((error: unknown) => console.error(error))
    }
    return message.messageId
  })
}

/** Thrown if a message is not even stored. `disk.ts` reports this on the terminal. */
class DiskFull extends Error {}

function refusalOf(stream: SMTPServerDataStream, error: unknown): Error {
  if (stream.errored) return reply(451, 'Cut off.')
  if (error instanceof DiskFull) return reply(452, 'The disk of the service is full. Try again later.')
  return notNow('A mail could not be recorded', error)
}

/** The whole message; undefined if it is too large. @throws if the connection breaks off */
async function readMessage(stream: SMTPServerDataStream): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) {
    if (stream.sizeExceeded) chunks.length = 0
    else chunks.push(chunk)
  }
  return stream.sizeExceeded ? undefined : Buffer.concat(chunks)
}

function reply(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode })
}

function notNow(what: string, error: unknown): Error {
  console.error(`${what}:`, error)
  return reply(451, `${what}. Try again later.`)
}

async function listen(server: SMTPServer, port: number): Promise<number> {
  const listener = server.listen({ port, host: '127.0.0.1' })
  try {
    await once(listener, 'listening')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    const why = code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${String(error)})`
    throw new CannotStart(
      `Port ${port} for mail ${why}. Choose another one with SMTP_PORT, 0 for a free one.`,
      error,
    )
  }
  return (listener.address() as AddressInfo).port
}

/** Closes idle connections at once. A message that is being received is finished, if that does not take long. */
function close(server: SMTPServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(resolve)
    for (const connection of server.connections) {
      if (connection.session.envelope.mailFrom !== false) continue
      connection.send(421, 'The service stops.')
      connection.close()
    }
  })
}
