import { describe, expect, it } from 'vitest'
import { inboundHtml } from '#mail/inbound-html.ts'
import { withoutLinkTokens } from '#mail/link-tokens.ts'
import { mailContent } from '#mail/mail-content.ts'
import { MessageFacts } from '#triage/facts-schema.ts'

const clean = async ({ html, text }: { html: string | null; text: string }) => `clean:${html ?? text}`
const read = async (raw: string) => {
  const found = await mailContent(clean)(Buffer.from(raw.replaceAll('\n', '\r\n'), 'latin1'))
  if ('refused' in found) throw new Error(found.refused)
  return found
}

const picture = (id: string, bytes: number, type = 'image/png', disposition = 'inline') => `--b
Content-Type: ${type}
Content-Disposition: ${disposition}; filename="${id}.png"
Content-ID: <${id}>
Content-Transfer-Encoding: base64

${Buffer.alloc(bytes, 7).toString('base64')}
`

const mail = (html: string, ...parts: string[]) => `From: a@b.de
Subject: Bilder
Content-Type: multipart/related; boundary=b

--b
Content-Type: text/html; charset=utf-8

${html}
${parts.join('')}--b--
`

describe('the content of a message', () => {
  it('has small pictures of the HTML in its body, and everything else as files in their order', async () => {
    const html = '<p>Guten Tag</p><img src="cid:logo@1"><img src="cid:gro%C3%9F"><img src=cid:scan>'
    const parts = [
      picture('logo@1', 500),
      picture('scan', 20_000),
      picture('fremd', 500),
      picture('logo@1', 500, 'application/pdf'),
    ]

    const { body, files } = await read(mail(html, ...parts))

    expect(body.body_html).toContain('clean:<p>Guten Tag')
    expect(body.inline_images).toEqual([
      { content_id: 'logo@1', mime_type: 'image/png', data: Buffer.alloc(500, 7).toString('base64') },
    ])
    expect(files.map(({ content_id, bytes, mime_type }) => [content_id, bytes.length, mime_type])).toEqual([
      ['scan', 20_000, 'image/png'],
      ['fremd', 500, 'image/png'],
      ['logo@1', 500, 'application/pdf'],
    ])
  })

  it('has no more pictures in its body than fit into a response', async () => {
    const ids = Array.from({ length: 100 }, (_, at) => `bild${at}`)
    const html = ids.map((id) => `<img src="cid:${id}">`).join('')

    const { body, files } = await read(mail(html, ...ids.map((id) => picture(id, 9_000))))

    expect(body.inline_images.length + files.length).toBe(100)
    expect(JSON.stringify(body.inline_images).length).toBeLessThan(800_000)
    expect(files.length).toBeGreaterThan(30)
  })

  it('lists its files in its facts in the same order, so that texts can be matched with them', async () => {
    const { files, facts } = await read(
      mail('<img src="cid:logo">', picture('logo', 10), picture('a', 20), picture('b', 30)),
    )

    expect(facts.attachments.map(({ filename }) => filename)).toEqual(files.map(({ filename }) => filename))
    const stored = { ...facts, received_on: '2026-11-20', verdict: 'unknown' }
    expect(MessageFacts.safeParse(JSON.parse(JSON.stringify(stored))).success).toBe(true)
  })

  it('shows the beginning of a very long text, with a note that there is more', async () => {
    const { body, facts } = await read(
      `From: a@b.de\nSubject: lang\n\n${`${'Zeile '.repeat(200)}\n`.repeat(2_000)}`,
    )

    expect(body.body_text.length).toBeLessThan(1_100_000)
    expect(body.body_text).toContain('[Gekürzt.')
    expect(facts.text.length).toBeLessThanOrEqual(100_000)
  })

  const signing = `${'aB3-_'.repeat(8)}xyz`
  const shared = `${'Zz9_-'.repeat(8)}qrs`
  const [signLink, sharedLink] = [`https://firma.de/sign/${signing}`, `https://firma.de/shared/${shared}`]
  const safeLink = `https://eur01.safelinks.protection.outlook.com/?url=${encodeURIComponent(signLink)}&amp;data=05`
  const quotedText = `Gern.\n\n> Unterschreiben: <${signLink}>\n> Dokumente: ${sharedLink}/1\n`
  const quotedHtml = `<p>Gern.</p><blockquote><a href="${signLink}">${signLink}</a> <a href="${safeLink}">Link</a> <a href="https:&#x2F;&#x2F;firma.de&#x2F;shared&#x2F;${shared}">Dokumente</a></blockquote>`
  const softBroken = signLink.replace(signing.slice(0, 20), `${signing.slice(0, 20)}=\n`)

  it.each([
    ['text', `Content-Type: text/plain\n\n${quotedText}`],
    ['HTML', `Content-Type: text/html\n\n${quotedHtml}`],
    ['quoted-printable', `Content-Transfer-Encoding: quoted-printable\n\n${softBroken} ${sharedLink}`],
    [
      'base64',
      `Content-Type: text/html\nContent-Transfer-Encoding: base64\n\n${Buffer.from(quotedHtml).toString('base64')}`,
    ],
    [
      'text and HTML',
      `Content-Type: multipart/alternative; boundary=b\n\n--b\n\n${quotedText}\n--b\nContent-Type: text/html\n\n${quotedHtml}\n--b--`,
    ],
  ])('has no token of our links if an answer quotes our mail in %s', async (_, written) => {
    const content = await mailContent(inboundHtml)(
      Buffer.from(`From: a@b.de\nSubject: Re: Vertrag\n${written}`),
    )

    const shown = JSON.stringify(content)
    expect(shown).not.toContain(signing)
    expect(shown).not.toContain(shared)
    expect('body' in content && content.body).toMatchObject({
      body_text: expect.stringContaining(`https://firma.de/sign/${'*'.repeat(43)}`),
      body_html: expect.stringContaining(`https://firma.de/shared/${'*'.repeat(43)}`),
    })
  })

  const twice = `https://a.example/?u=${encodeURIComponent(`https://b.example/?u=${encodeURIComponent(signLink)}`)}`
  const urlDefense = `https://urldefense.proofpoint.com/v2/url?u=${signLink
    .replace(/[^\w.]/g, (it) => `-${it.charCodeAt(0).toString(16)}`)
    .replace('-2fsign-2f', '_sign_')
    .replace(/(?<=sign_.*)_/g, '-5F')}&d=Dw`

  it.each([
    [
      'broken over a line',
      `> https://firma.de/sign/${signing.slice(0, 20)}\n> ${signing.slice(20)}\n> Grüße`,
    ],
    ['broken over a line, two quotes deep', `>> ${sharedLink.slice(0, -9)}\r\n>> ${sharedLink.slice(-9)}`],
    ['underlined', `_${signLink}_`],
    ['before a dash', `${sharedLink}-`],
    ['in a link that was replaced twice', twice],
    ['in a link of URL Defense', urlDefense],
  ])('has no token that is %s', async (_, written) => {
    const { body } = await read(`From: a@b.de\nContent-Type: text/plain\n\n${written}\n`)

    for (const token of [signing, shared])
      for (const piece of [token.slice(0, 12), token.slice(-8)])
        expect(JSON.stringify(body)).not.toContain(piece)
    expect(body.body_text).toContain('**********')
  })

  it('has no token in the whole message, even if its text is a multipart without a boundary', () => {
    const raw = Buffer.from(`From: a@b.de\nContent-Type: multipart/mixed\n\n${signLink}\n`)

    expect(withoutLinkTokens(raw).toString()).toContain(`/sign/${'*'.repeat(43)}\n`)
  })

  it('has no token in the whole message, even if it begins with an empty line', () => {
    const link = Buffer.from(signLink).toString('base64')
    const raw = Buffer.from(`\nFrom: a@b.de\nContent-Transfer-Encoding: base64\n\n${link}\n`)

    const [, written = ''] = withoutLinkTokens(raw).toString().split('base64\n\n')

    expect(Buffer.from(written, 'base64').toString()).toContain(`/sign/${'*'.repeat(43)}`)
  })

  it('keeps the links of other services', async () => {
    const foreign = `https://datenraum.example/shared/${'q'.repeat(60)}?x=1 https://a.example/sign/kurz`
    const { body } = await read(`From: a@b.de\nContent-Type: text/plain\n\n${foreign}\n`)

    expect(body.body_text).toContain(foreign)
  })

  it('does not change an attached message and the links in it', async () => {
    const attached = `Subject: Einladung\r\n\r\n${signLink}\r\n`

    const { files } = await read(mail('<p>Anbei</p>', `--b\nContent-Type: message/rfc822\n\n${attached}\n`))

    expect(Buffer.from(files[0]?.bytes ?? []).toString()).toContain(signLink)
  })

  it('is empty if the bytes are not a message', async () => {
    for (const raw of ['', '\x00\xff\xfe', '\n\n', 'Subject', ': :\n\n:'])
      expect(await read(raw)).toMatchObject({ files: [], body: { inline_images: [] }, protection: 'none' })
  })

  it('is refused if it exceeds the limits', async () => {
    const parts = Array.from({ length: 1_001 }, (_, at) => picture(`x${at}`, 1))

    for (const raw of [mail('<p>', ...parts), `Subject: a\n\n${'\n'.repeat(1_000_000)}`])
      expect(await mailContent(clean)(Buffer.from(raw))).toEqual({ refused: 'too_large' })
  })
})
