import { randomFillSync } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import MailComposer from 'nodemailer/lib/mail-composer'
import type { MailToCompose } from '#correspondence/sending-ports.ts'
import { composeMail } from '#mail/compose.ts'

/** Composes mails, with our code or with nodemailer alone, and reports the CPU time and memory of the process. */
export type ComposingOrder = {
  composer: 'ours' | 'nodemailer'
  attachedBytes: number
  repetitions: number
}

export type ComposingResult = { cpuMilliseconds: number; idleMegabytes: number; peakMegabytes: number }

const [order]: ComposingOrder[] = await once(process, 'message')
if (order === undefined) throw new Error('There was nothing to measure.')
const compose = order.composer === 'ours' ? composeMail : withNodemailerAlone

await compose(mailWith(1_000))
const idleMegabytes = residentMegabytes('VmRSS')
// Linux counts the peak anew.
writeFileSync('/proc/self/clear_refs', '5')
let mail = mailWith(order.attachedBytes)
await composed(mail)
const peakMegabytes = residentMegabytes('VmHWM')

const cpu = process.cpuUsage()
for (let at = 0; at < order.repetitions; at += 1) await composed(mail)
const { user, system } = process.cpuUsage(cpu)
mail = mailWith(0)
const result: ComposingResult = {
  cpuMilliseconds: (user + system) / 1_000 / order.repetitions,
  idleMegabytes,
  peakMegabytes,
}
process.send?.(result, () => process.exit(0))

async function composed(mail: MailToCompose): Promise<void> {
  const { length } = await compose(mail)
  if (length < mail.attachments.reduce((sum, { bytes }) => sum + bytes.length, 0) * 1.33)
    throw new Error('The message lacks attachments.')
}

/** Five attachments, a letter with a picture in its signature. */
function mailWith(attachedBytes: number): MailToCompose {
  const paragraph =
    '<p style="margin:0">Sehr geehrte Frau Kollegin, in der Sache Müller ./. Größe überreichen wir die Anlagen.</p>'
  return {
    from: { name: 'Dr. Anna Groß', email: 'vogt@mail.example.de' },
    to: [{ name: 'Meier, Jürgen', email: 'a@b.de' }],
    cc: [],
    subject: 'Müller ./. Größe: Klageerwiderung',
    html: paragraph.repeat(50),
    text: 'Sehr geehrte Frau Kollegin, in der Sache Müller ./. Größe überreichen wir die Anlagen.\n'.repeat(
      50,
    ),
    date: new Date(0),
    message_id: '<1@mail.example.de>',
    in_reply_to: null,
    references: [],
    attachments: Array.from({ length: 5 }, (_, at) => ({
      filename: `Anlage K ${at + 1} – Größe.pdf`,
      mime_type: 'application/pdf',
      bytes: randomFillSync(new Uint8Array(Math.ceil(attachedBytes / 5))),
    })),
  }
}

/** The same mail as nodemailer's documentation composes it. */
async function withNodemailerAlone(mail: MailToCompose): Promise<Uint8Array> {
  const address = ({ name, email }: MailToCompose['from']) => ({ name: name ?? '', address: email })
  const { from, to, subject, html, text, date, message_id: messageId } = mail
  const attachments = mail.attachments.map(({ filename, mime_type: contentType, bytes }) => ({
    filename,
    contentType,
    content: Buffer.from(bytes.buffer),
  }))
  const message = {
    from: address(from),
    to: to.map(address),
    subject,
    html,
    text,
    date,
    messageId,
    attachments,
  }
  return new MailComposer(message).compile().build()
}

function residentMegabytes(which: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes] =
    new RegExp(`${which}:\\s+(\\d+) kB`).exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return Number(kilobytes) / 1_024
}
