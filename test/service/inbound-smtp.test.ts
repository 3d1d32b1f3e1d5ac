import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { deliver, rawMessage, rawOf, receivedBy, smtpUrl } from '#test/support/delivered-mail.ts'
import { newFirm } from '#test/support/firm.ts'
import { deliver as deliverByWebhook } from '#test/support/inbound-mail.ts'
import { sentTo } from '#test/support/sent-mail.ts'
import { sendBySmtp, smtpClient } from '#test/support/smtp-client.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

describe('mail by SMTP', () => {
  it('is a record once it is answered with 250, and its bytes are unchanged', async () => {
    const { owner, workspace } = await newFirm()
    const raw = Buffer.concat([
      Buffer.from(rawMessage({ Subject: 'Ladung zum Termin' }, '.\r\n..\r\nzwei Punkte')),
      // nodemailer mends single line breaks; `test/local/smtp.test.ts` sends them itself.
      Buffer.from(Array.from({ length: 512 }, (_, at) => at % 256)).filter(
        (byte) => byte !== 10 && byte !== 13,
      ),
      Buffer.from('\r\n'),
    ])

    const answer = await deliver([workspace.inbound_address], raw)
    const mails = await receivedBy(owner)

    expect(answer).toMatch(/^250 /)
    expect(mails).toHaveLength(1)
    expect(mails[0]).toMatchObject({
      direction: 'inbound',
      subject: 'Ladung zum Termin',
      from: { name: 'Anna Meier', email: 'anna.meier@example.com' },
      verdicts: { spam: 'unknown', virus: 'unknown', spf: 'pass', dkim: 'unknown', dmarc: 'unknown' },
    })
    expect((await rawOf(owner, mails[0]?.id ?? '')).equals(raw)).toBe(true)
  })

  it('to two workspaces is a record in each; case and what follows a plus in an address do not count', async () => {
    const [one, other] = [await newFirm(), await newFirm()]
    const [local, domain] = other.workspace.inbound_address.split('@')
    const raw = rawMessage()

    await deliver([one.workspace.inbound_address.toUpperCase(), `${local}+akte-7@${domain}`], raw)
    const mails = [await receivedBy(one.owner), await receivedBy(other.owner)]

    expect(mails.map((found) => found.length)).toEqual([1, 1])
    expect(mails[0]?.[0]?.id).not.toBe(mails[1]?.[0]?.id)
    expect((await rawOf(other.owner, mails[1]?.[0]?.id ?? '')).toString()).toBe(raw)
  })

  it('that comes thrice, one after the other and at once, is one record', async () => {
    const { owner, workspace } = await newFirm()
    const raw = rawMessage()

    const answers = [await deliver([workspace.inbound_address], raw)]
    answers.push(
      ...(await Promise.all(Array.from({ length: 3 }, () => deliver([workspace.inbound_address], raw)))),
    )

    for (const answer of answers) expect(answer).toMatch(/^250 /)
    expect(await receivedBy(owner)).toHaveLength(1)
  })

  it('that comes thrice by SMTP and by the webhook of a mail service too is one record', async () => {
    const { owner, workspace, baseUrl } = await newFirm()
    const raw = rawMessage()
    const byWebhook = { baseUrl, key: sharedService().credentials.mail_signing_key }

    for (let turn = 0; turn < 3; turn += 1) await deliver([workspace.inbound_address], raw)
    const ids = await Promise.all(
      [1, 2].map(() => deliverByWebhook(byWebhook, workspace.inbound_address, raw)),
    )
    const mails = await receivedBy(owner)

    expect(mails).toHaveLength(1)
    expect(ids).toEqual([mails[0]?.id, mails[0]?.id])
  })

  it('of one device that gives all its mails one id is a record each, since their dates differ', async () => {
    const { owner, workspace } = await newFirm()
    const header = { 'Message-ID': '<scanner@drucker>' }

    for (const minute of ['01', '02', '03'])
      await deliver(
        [workspace.inbound_address],
        rawMessage({ ...header, Date: `Fri, 20 Nov 2026 09:${minute}:00 +0100`, Subject: 'Scan' }),
      )

    expect(await receivedBy(owner)).toHaveLength(3)
  })

  it.each<[string, () => string | Uint8Array]>([
    ['with no header at all', () => 'nur Text\r\n'],
    ['of zeros and other garbage', () => Buffer.from([0, 1, 2, 255, 254, 0, 13, 10])],
    [
      'with bytes that no charset has in its header',
      () => Buffer.from('Subject: \xe4\xff\xfe\r\n\r\n\xe4\r\n', 'latin1'),
    ],
    [
      'with a header of a megabyte',
      () => `X-Lang: ${'x'.repeat(1024 * 1024)}\r\nSubject: danach\r\n\r\nText\r\n`,
    ],
    ['that is empty', () => '\r\n'],
  ])('%s is kept as it is', async (_, make) => {
    const { owner, workspace } = await newFirm()
    const raw = Buffer.from(make())

    await deliver([workspace.inbound_address], raw)
    const [mail] = await receivedBy(owner)

    expect((await rawOf(owner, mail?.id ?? '')).equals(raw)).toBe(true)
  })

  it('to an address that no workspace has is refused with 550, also of the same domain', async () => {
    const { owner, workspace } = await newFirm()
    const [local, domain] = workspace.inbound_address.split('@')
    const strangers = [`x${local}@${domain}`, `${local}@example.com`, `${local}.${domain}@${domain}`]

    const sent = await sendBySmtp(smtpUrl(), {
      to: [...strangers, workspace.inbound_address],
      raw: rawMessage(),
    })
    const client = await smtpClient(smtpUrl())
    await client.reply()
    await client.say('HELO test')
    await client.say('MAIL FROM:<>')
    const refused = await client.say(`RCPT TO:<${strangers[0]}>`)
    client.end()

    expect(sent).toMatchObject({ rejected: strangers, accepted: [workspace.inbound_address] })
    expect(refused).toMatch(/^550 /)
    expect(await receivedBy(owner)).toHaveLength(1)
  })

  it('leaves nothing behind in the bucket but its record', async () => {
    const { workspace } = await newFirm()
    await deliver([workspace.inbound_address], rawMessage())

    // Other tests deliver mail at the same time.
    const folders = () => readdirSync(join(sharedService().dataDir, 's3', 'aktenlage-local'))
    await expect.poll(folders, { timeout: 60_000, interval: 200 }).not.toContain('received')
  })
})

describe('mail that answers by itself', () => {
  it.each<[string, (ours: string) => Record<string, string>]>([
    ['a note of absence', () => ({ 'Auto-Submitted': 'auto-replied', Precedence: 'bulk' })],
    [
      'a report of a mail server',
      () => ({ From: 'MAILER-DAEMON@example.com', 'Auto-Submitted': 'auto-generated' }),
    ],
    ['a mail from our own inbound address', (ours) => ({ From: ours, To: ours })],
    ['a mail that asks for receipts', () => ({ 'Disposition-Notification-To': 'sender@example.com' })],
  ])('%s is recorded, and nobody gets an answer', async (_, header) => {
    const { owner, workspace } = await newFirm()
    const ours = workspace.inbound_address
    const sender = `automat-${crypto.randomUUID()}@example.com`

    await sendBySmtp(smtpUrl(), {
      from: sender,
      to: [ours],
      raw: rawMessage({ From: sender, ...header(ours) }),
    })
    const [mail] = await receivedBy(owner)
    const status = async () => (await owner('GET', `/api/v1/correspondence/${mail?.id}`)).body.status
    // Until the worker has read it: whatever it would send, it has sent by then.
    await expect.poll(status, { timeout: 60_000, interval: 200 }).toMatch(/^(processed|failed)$/)

    expect(await receivedBy(owner)).toHaveLength(1)
    for (const address of [sender, ours, 'MAILER-DAEMON@example.com', 'sender@example.com'])
      expect(await sentTo(address), address).toEqual([])
  })
})
