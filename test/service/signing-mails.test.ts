import { beforeAll, describe, expect, it, vi } from 'vitest'
import { hexDigest } from '#kernel/hex-digest.ts'
import { createClient } from '#store/client.ts'
import { signingLink } from '#store/signing/signing-link-entity.ts'
import type { Api } from '#test/support/api.ts'
import { form } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { newAddress, type SentMail, sentTo, until } from '#test/support/sent-mail.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

let firm: Firm
beforeAll(async () => {
  firm = await newFirm('Kanzlei Müller & Söhne')
})

type Signer = { id: string; email: string; delivery: string | null; sent_at: string | null; status: string }

/** An envelope with these signers, mailed at once unless said otherwise. */
async function envelope(
  signers: Record<string, unknown>[],
  more: Record<string, unknown> = {},
  by: Api = firm.owner,
) {
  const case_id: string = (await by('POST', '/api/v1/cases', { body: { name: 'Weber ./. Müller' } })).body.id
  const file = { bytes: `Vollmacht Nummer ${Math.random()}.`, filename: 'Vollmacht für Müller.txt' }
  const document = (await by('POST', '/api/v1/documents', { raw: form({ file }, { case_id }) })).body.id
  const created = await by('POST', `/api/v1/cases/${case_id}/signing-envelopes`, {
    body: { title: 'Vollmacht für Müller', document_ids: [document], send_emails: true, signers, ...more },
  })
  expect(created.status).toBe(201)
  const path = `/api/v1/signing/envelopes/${created.body.id}`
  const read = async (): Promise<{ status: string; signers: Signer[] }> => (await by('GET', path)).body
  return {
    case_id,
    path,
    read,
    /** Waits until this is what became of the mails to the signers, in their order. */
    deliveries: (...expected: (string | null)[]): Promise<{ signers: Signer[] }> =>
      until(
        by,
        path,
        (body) =>
          JSON.stringify(body.signers.map((one: Signer) => one.delivery)) === JSON.stringify(expected),
        90,
      ),
  }
}

const signer = (email: string, more: Record<string, unknown> = {}) => ({
  name: 'Jörg Weißmüller',
  email,
  ...more,
})

async function mailTo(address: string, at = 0): Promise<SentMail> {
  const mails = await vi.waitFor(
    async () => {
      const found = await sentTo(address)
      expect(found.length).toBeGreaterThan(at)
      return found
    },
    { timeout: 100_000, interval: 100 },
  )
  return mails[at] as SentMail
}

const tokenIn = ({ mail }: SentMail): string => /\/sign\/([\w-]{43})/.exec(mail.html ?? '')?.[1] ?? ''

/** Whether the table knows a magic link with this token. */
async function isValid(token: string): Promise<boolean> {
  for (const [name, value] of Object.entries(sharedService().environment)) vi.stubEnv(name, value)
  const db = { client: createClient(), table: sharedService().environment.TABLE_NAME ?? '' }
  const { data } = await signingLink(db)
    .get({ token_sha256: hexDigest(token) })
    .go({ consistent: true })
  vi.unstubAllEnvs()
  return data !== null
}

describe.concurrent('an invitation', () => {
  it('reaches its signer from the office, in German and English, with the one link that is valid', async () => {
    const to = newAddress()

    const { deliveries } = await envelope([signer(to)], { message: 'Bitte bis Freitag <b>zurück</b>.' })

    const sent = await mailTo(to)
    const { mail, envelope: smtp } = sent
    expect(smtp.destinations).toEqual([to])
    expect(mail.from).toMatchObject({ name: 'Dr. Jana Vogt', address: firm.workspace.inbound_address })
    expect(mail.to).toMatchObject([{ name: 'Jörg Weißmüller', address: to }])
    expect(mail.subject).toBe('Bitte unterschreiben: Vollmacht für Müller (Please sign)')
    expect(mail.text).toContain('Dr. Jana Vogt (Kanzlei Müller & Söhne) bittet Sie')
    expect(mail.text).toContain('- Vollmacht für Müller.txt')
    expect(mail.text).toContain('> Bitte bis Freitag <b>zurück</b>.')
    expect(mail.text).toContain(`${sharedService().baseUrl}/sign/${tokenIn(sent)}`)
    expect(mail.text).toContain('Dear Jörg Weißmüller,')
    expect(mail.attachments).toEqual([])
    expect(await isValid(tokenIn(sent))).toBe(true)
    const { signers } = await deliveries('sent')
    expect(signers[0]?.sent_at).toMatch(/^20/)
    expect(await sentTo(to)).toHaveLength(1)
  })

  it('has headers of ASCII alone, and no picture or address of anybody else', async () => {
    const to = newAddress()

    await envelope([signer(to)])

    const { raw, mail } = await mailTo(to)
    const header = raw.toString('latin1').split('\r\n\r\n', 1)[0] ?? ''
    expect(header).toMatch(/^[\x20-\x7e\r\n\t]*$/)
    expect(header).toMatch(/^Subject: =\?UTF-8\?/im)
    const addresses = [...(mail.html ?? '').matchAll(/https?:\/\/[^\s"<>]+/g)].map(([address]) => address)
    expect(addresses.every((address) => address.startsWith(sharedService().baseUrl))).toBe(true)
    expect(mail.html).not.toMatch(/<img|<link|url\(/)
  })

  it('is a mail of the case, without its link, and one entry of the timeline', async () => {
    const to = newAddress()
    const { case_id, deliveries } = await envelope([signer(to)])
    const token = tokenIn(await mailTo(to))
    await deliveries('sent')

    const { data } = (await firm.owner('GET', `/api/v1/correspondence?case_id=${case_id}`)).body
    const { body: shown } = await firm.owner('GET', `/api/v1/correspondence/${data[0].id}`)
    const timeline = (await firm.owner('GET', `/api/v1/cases/${case_id}/timeline`)).body.data

    expect([data.length, shown.status, shown.to]).toEqual([1, 'sent', [`Jörg Weißmüller <${to}>`]])
    expect(shown.body_text).toContain('Dokumente ansehen und unterschreiben')
    expect(JSON.stringify([data, shown, timeline])).not.toContain(token)
    expect(JSON.stringify([data, shown])).not.toMatch(/link_sha256|"about"/)
    expect(timeline.filter(({ type }: { type: string }) => type === 'mail.sent')).toHaveLength(1)
  })

  it('goes only to those whose turn it is, and never to cc', async () => {
    const [first, second, copy] = [newAddress(), newAddress(), newAddress()]

    const { deliveries } = await envelope([signer(first), signer(second), signer(copy, { role: 'cc' })], {
      signing_order: 'sequential',
    })

    await deliveries('sent', null, null)
    expect(await Promise.all([first, second, copy].map(async (one) => (await sentTo(one)).length))).toEqual([
      1, 0, 0,
    ])
  })

  it('says that an access code is needed, and does not hold it', async () => {
    const to = newAddress()

    await envelope([signer(to, { access_code: 'Zwetschge-4711' })])

    const { mail, raw } = await mailTo(to)
    expect(mail.text).toContain('Zugangscode')
    expect(raw.toString() + mail.text + mail.html).not.toContain('Zwetschge')
  })

  it('that bounces makes the delivery bounced, with an entry in the timeline', async () => {
    const to = newAddress('bounce+')

    const { case_id, deliveries } = await envelope([signer(to)])

    await deliveries('bounced')
    const { data } = (await firm.owner('GET', `/api/v1/cases/${case_id}/timeline`)).body
    const bounces = data.filter(({ type }: { type: string }) => type === 'mail.bounced')
    expect(bounces).toMatchObject([{ summary: expect.stringContaining(to) }])
  })
})

describe.concurrent('a reminder', () => {
  it('has a new link; the link before is dead', async () => {
    const to = newAddress()
    const { path, deliveries } = await envelope([signer(to)])
    const first = tokenIn(await mailTo(to))
    await deliveries('sent')

    expect((await firm.owner('POST', `${path}/remind`)).status).toBe(200)

    const mail = await mailTo(to, 1)
    expect(mail.mail.subject).toBe('Erinnerung: Vollmacht für Müller (Reminder)')
    expect([await isValid(first), await isValid(tokenIn(mail))]).toEqual([false, true])
  })

  it('goes out in the name of who made the envelope, as it is now, though that user is deactivated', async () => {
    const { user, api } = await firm.colleague()
    const to = newAddress()
    const { path, deliveries } = await envelope([signer(to)], {}, api)
    await deliveries('sent')
    const changed = { name: 'Emre Çelik-Groß', active: false }
    expect((await firm.owner('PATCH', `/api/v1/users/${user.id}`, { body: changed })).status).toBe(200)

    await firm.owner('POST', `${path}/remind`)

    const { mail } = await mailTo(to, 1)
    expect(mail.from).toMatchObject({ name: 'Emre Çelik-Groß', address: firm.workspace.inbound_address })
    expect(mail.text).toContain('Emre Çelik-Groß')
  })

  it('of an envelope whose case was deleted goes out, and belongs to that case', async () => {
    const to = newAddress()
    const { path, case_id, deliveries } = await envelope([signer(to)])
    await deliveries('sent')
    await firm.owner('DELETE', `/api/v1/cases/${case_id}`)

    await firm.owner('POST', `${path}/remind`)

    expect(await isValid(tokenIn(await mailTo(to, 1)))).toBe(true)
    const found = (await firm.owner('GET', `/api/v1/correspondence?search=${encodeURIComponent(to)}`)).body
      .data
    expect(found.map((mail: { case_id: string | null }) => mail.case_id)).toEqual([case_id, case_id])
  })
})

/** Sends a form of the signer's page. */
async function act(mail: SentMail, form: string, fields: Record<string, string> = {}): Promise<void> {
  const answer = await fetch(`${sharedService().baseUrl}/sign/${tokenIn(mail)}/${form}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
  })
  expect(answer.status, form).toBe(303)
}

async function sign(mail: SentMail): Promise<void> {
  await act(mail, 'open')
  await act(mail, 'sign', { name: 'Jörg Weißmüller', consent: 'yes' })
}

/** The mails to the user who made the envelopes of a firm. */
const toOffice = async (subject: RegExp) =>
  (await sentTo('vogt@example.de')).filter(({ mail }) => subject.test(mail.subject ?? ''))

describe.concurrent('what happens with an envelope', () => {
  it('is mailed: whose turn it is, and in the end the sealed copies to everybody, once each', async () => {
    const title = `Vollmacht ${crypto.randomUUID()}`
    const [first, second, copy] = [newAddress(), newAddress(), newAddress()]
    const { read } = await envelope([signer(first), signer(second), signer(copy, { role: 'cc' })], {
      signing_order: 'sequential',
      title,
    })

    await sign(await mailTo(first))
    const turn = await mailTo(second)
    await sign(turn)

    expect(turn.mail.subject).toBe(`Sie sind an der Reihe: ${title} (Your turn)`)
    for (const [address, at] of [
      [first, 1],
      [second, 1],
      [copy, 0],
    ] as const) {
      const { mail } = await mailTo(address, at)
      expect(mail.subject).toBe(`Fertig unterschrieben: ${title} (Signed)`)
      expect(mail.attachments.map(({ mimeType }) => mimeType)).toEqual(['application/pdf'])
      const bytes = Buffer.from(mail.attachments[0]?.content as ArrayBuffer)
      expect(bytes.subarray(0, 5).toString()).toBe('%PDF-')
      const known = await firm.owner('POST', '/api/v1/signing/verify', { body: { sha256: hexDigest(bytes) } })
      expect(known.body).toMatchObject({ known: true, envelope: { title } })
      expect(mail.html).not.toContain('/sign/')
    }
    const [notice, ...others] = await vi.waitFor(
      async () => {
        const found = await toOffice(new RegExp(title))
        expect(found.length).toBeGreaterThan(0)
        return found
      },
      { timeout: 100_000, interval: 100 },
    )
    expect([others, notice?.mail.attachments]).toEqual([[], []])
    expect((await read()).status).toBe('completed')
    expect(await Promise.all([first, second, copy].map(async (one) => (await sentTo(one)).length))).toEqual([
      2, 2, 1,
    ])
  })

  it('that somebody declines is mailed to the office with the reason, and to the others without it', async () => {
    const title = `Vollmacht ${crypto.randomUUID()}`
    const [first, second] = [newAddress(), newAddress()]
    const { deliveries } = await envelope([signer(first), signer(second)], { title })
    await deliveries('sent', 'sent')
    const mail = await mailTo(first)

    await act(mail, 'open')
    await act(mail, 'decline', { reason: 'Der Betrag stimmt nicht.' })

    const { mail: told } = await mailTo(second, 1)
    expect(told.subject).toBe(`Abgelehnt: ${title} (Declined)`)
    expect(told.text).not.toContain('Betrag')
    const [notice] = await vi.waitFor(
      async () => {
        const found = await toOffice(new RegExp(title))
        expect(found.length).toBeGreaterThan(0)
        return found
      },
      { timeout: 100_000, interval: 100 },
    )
    expect(notice?.mail.text).toContain('> Der Betrag stimmt nicht.')
    expect(await sentTo(first)).toHaveLength(1)
    await deliveries('sent', 'sent')
  })
})

it('a magic link that a user writes into a mail reaches its recipient, and nobody who reads the mail here', async () => {
  const { path, read } = await envelope([signer(newAddress())], { send_emails: false })
  await firm.owner('POST', `${path}/send`, { body: { send_emails: false } })
  const [{ id } = { id: '' }] = (await read()).signers
  const { url } = (await firm.owner('POST', `${path}/signers/${id}/link`)).body
  const token = url.split('/sign/')[1]
  const to = newAddress()
  const body = { to: [to], subject: 'Vollmacht', body_html: `<p><a href="${url}">${url}</a></p>` }

  const sent = await firm.owner('POST', '/api/v1/email/outbound/send', { body })

  expect((await mailTo(to)).mail.html).toContain(token)
  const reader = await firm.withScopes('inbox:read', 'inbox:write')
  const mail = `/api/v1/correspondence/${sent.body.id}`
  const forwarding = { body: { correspondence_id: sent.body.id } }
  const shown = [
    await reader('GET', mail),
    await reader('GET', `${mail}/raw`),
    await reader('POST', '/api/v1/email/outbound/forward-envelope', forwarding),
  ]
  expect(shown.map(({ status }) => status)).toEqual([200, 200, 201])
  const texts = shown.map(({ bytes }) => new TextDecoder().decode(bytes).replaceAll('=\r\n', ''))
  expect(texts.filter((text) => text.includes(token))).toEqual([])
  expect(shown[0]?.body.body_text).toContain(`/sign/${'*'.repeat(43)}`)
})

describe('the mails of many', () => {
  it('to twenty signers are twenty mails, each with a link of its own that is valid', async () => {
    const addresses = Array.from({ length: 20 }, () => newAddress())

    const { deliveries } = await envelope(addresses.map((email) => signer(email)))

    const mails = await Promise.all(addresses.map((address) => mailTo(address)))
    const tokens = mails.map(tokenIn)
    expect(new Set(tokens).size).toBe(20)
    for (const token of tokens) expect(await isValid(token)).toBe(true)
    await deliveries(...addresses.map(() => 'sent'))
    for (const address of addresses) expect(await sentTo(address)).toHaveLength(1)
  })
})
