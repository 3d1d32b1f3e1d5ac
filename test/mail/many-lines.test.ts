import { describe, expect, it } from 'vitest'
import { mailContent } from '#mail/mail-content.ts'
import { readHeader } from '#mail/read-header.ts'
import { readMail } from '#mail/read-mail.ts'

/** Messages with more lines than any real one are read in little memory, or refused before they are parsed. */

const head = 'From: max@mueller.example\r\nSubject: Akte\r\nMIME-Version: 1.0\r\n'
const mixed = (...parts: string[]) =>
  `${head}Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`
const pdf = 'Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERi0xLjc='

describe('a body of 400 000 lines', () => {
  it.each([
    ['of text', 'Content-Type: text/plain\r\n\r\n', 'a\n'],
    ['of blank lines', '\r\n', '\n'],
    ['of HTML', 'Content-Type: text/html\r\n\r\n', '<p>\r\n'],
    ['in quoted-printable', 'Content-Transfer-Encoding: quoted-printable\r\n\r\n', 'a=\r\n'],
    ['in base64', 'Content-Transfer-Encoding: base64\r\n\r\n', 'YWFh\r\n'],
    [
      'in Windows-1252 that claims to be UTF-8',
      'Content-Type: text/plain; charset=utf-8\r\n\r\n',
      '\xfc\r\n',
    ],
  ])('%s is cut, and the attachment behind it is read', async (_, header, line) => {
    const raw = Buffer.from(mixed(`${header}${line.repeat(400_000)}`, pdf), 'latin1')

    const message = await readMail(raw)

    expect(message.is_cut).toBe(true)
    expect(message.text.split('\n').length).toBeLessThan(60_000)
    expect(message.attachments.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(['%PDF-1.7'])
  })

  it('is shown with a note that there is more', async () => {
    const content = await mailContent(async () => '')(Buffer.from(`${head}\r\n${'a\r\n'.repeat(400_000)}`))

    expect('body' in content && content.body.body_text).toMatch(/^a\n[\s\S]*\[Gekürzt\. /)
  })
})

it('a body of 40 000 lines is read to its end', async () => {
  const message = await readMail(Buffer.from(`${head}\r\n${'a\r\n'.repeat(40_000)}Schluss\r\n`))

  expect([message.is_cut, message.text.trimEnd().endsWith('Schluss')]).toEqual([false, true])
})

it('thousands of short bodies are read', { timeout: 60_000 }, async () => {
  const message = await readMail(
    Buffer.from(mixed(...Array<string>(19_000).fill('Content-Type: text/html\r\n\r\nx'))),
  )

  expect(message.html?.match(/x/g)).toHaveLength(19_000)
})

it('hundreds of usual attachments are read byte for byte', async () => {
  const bytes = Buffer.alloc(40_000, 7)
  const encoded = bytes.toString('base64').replace(/.{76}/g, '$&\r\n')
  const part = `Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n${encoded}`

  const { attachments } = await readMail(Buffer.from(mixed(...Array<string>(400).fill(part))))

  expect(attachments).toHaveLength(400)
  expect(attachments.every((one) => Buffer.from(one.bytes).equals(bytes))).toBe(true)
})

describe('a message is refused as too large', () => {
  it.each([
    ['with 20 000 header lines', () => `${'X-A: b\r\n'.repeat(20_000)}\r\nText`],
    ['with 20 000 lines of one field', () => `${head}X-A: b\r\n${' c\r\n'.repeat(20_000)}\r\nText`],
    [
      'with 300 000 lines before its first part',
      () => mixed(pdf).replace('\r\n\r\n', `\r\n\r\n${'a\r\n'.repeat(300_000)}`),
    ],
    [
      'with 300 000 lines in many small parts',
      () => mixed(...Array<string>(300).fill(`\r\n${'a\r\n'.repeat(1_000)}`)),
    ],
  ])('%s', async (_, make) => {
    expect(await mailContent(async () => '')(Buffer.from(make()))).toEqual({ refused: 'too_large' })
  })
})

it('a header with too many fields is empty, so that the mail is still recorded', async () => {
  const verdicts = { spam: 'unknown', virus: 'unknown', spf: 'pass', dkim: 'pass', dmarc: 'pass' } as const
  const checks = { verdicts, envelope_from: 'max@mueller.example', authserv_id: null }

  const header = await readHeader.read(Buffer.from(`${'a:\n'.repeat(80_000)}\nText`), checks)

  expect(header).toMatchObject({ subject: '', from: null, sender_verified: false })
})
