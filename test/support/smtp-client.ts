import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createTransport } from 'nodemailer'

/** A client that sends exactly the given bytes. */
export type SmtpClient = {
  socket: Socket
  /** Sends bytes as they are, without waiting for an answer. */
  write: (bytes: string | Uint8Array) => void
  /** The next reply, all of its lines. */
  reply: () => Promise<string>
  /** Sends a line and returns the reply to it. */
  say: (line: string) => Promise<string>
  /** Sends bytes as the message of a transaction, with the line that ends it; returns the reply. */
  data: (bytes: string | Uint8Array) => Promise<string>
  end: () => void
}

/** Connects to `smtp://127.0.0.1:<port>` and waits for the greeting. */
export async function smtpClient(url: string): Promise<SmtpClient> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  let received = ''
  const waiting: { take: (line: string) => void; fail: (error: Error) => void }[] = []
  const deliver = () => {
    for (let end = endOfReply(received); end !== -1 && waiting.length > 0; end = endOfReply(received)) {
      waiting.shift()?.take(received.slice(0, end).trimEnd())
      received = received.slice(end)
    }
  }
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1')
    deliver()
  })
  socket.on('close', () => {
    for (const { fail } of waiting.splice(0)) fail(new Error('The server closed the connection.'))
  })
  const write = (bytes: string | Uint8Array) => void socket.write(bytes)
  const reply = () =>
    new Promise<string>((take, fail) => {
      waiting.push({ take, fail })
      deliver()
      if (socket.destroyed) fail(new Error('The server closed the connection.'))
    })
  const say = (line: string) => {
    write(`${line}\r\n`)
    return reply()
  }
  await once(socket, 'connect')
  const client: SmtpClient = {
    socket,
    write,
    reply,
    say,
    data: async (bytes) => {
      const ready = await say('DATA')
      if (!ready.startsWith('354')) return ready
      write(bytes)
      write('\r\n.\r\n')
      return reply()
    },
    end: () => socket.destroy(),
  }
  return client
}

/** The end of the first complete reply; -1 if there is none yet. Its last line has a blank after the code. */
function endOfReply(received: string): number {
  const [line] = /^\d{3}(?: .*)?\r\n/m.exec(received) ?? []
  return line === undefined ? -1 : received.indexOf(line) + line.length
}

/** Sends a raw message with nodemailer, as a mail program would. @throws if the server refuses all recipients */
export async function sendBySmtp(
  url: string,
  mail: { from?: string; to: string[]; raw: string | Uint8Array },
): Promise<{ accepted: string[]; rejected: string[]; response: string }> {
  const transport = createTransport({ url, secure: false, ignoreTLS: true })
  const { from = 'anna.meier@example.com', to, raw } = mail
  try {
    const { accepted, rejected, response } = await transport.sendMail({
      envelope: { from, to },
      raw: typeof raw === 'string' ? raw : Buffer.from(raw),
    })
    return { accepted: accepted.map(String), rejected: rejected.map(String), response }
  } finally {
    transport.close()
  }
}
