import { describe, expect, it } from 'vitest'
import { bodyKey } from '#correspondence/keys.ts'
import type { CorrespondenceRecord, MailBody } from '#correspondence/ports.ts'
import { quotedOriginal } from '#correspondence/quoted-original.ts'
import { maxBodyBytes } from '#correspondence/schema.ts'
import { mailHtml } from '#mail/mail-html.ts'
import { receivedMail } from '#test/support/received-mail.ts'

const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const small = { content_id: 'logo@mueller', mime_type: 'image/png', data: dot }

/** Quotes a received mail with this body; `pictures` are attached documents by their content ids. */
async function quote(
  body: Partial<MailBody>,
  { pictures = {}, ...changes }: Partial<CorrespondenceRecord> & { pictures?: Record<string, Buffer> } = {},
) {
  const attachments = Object.entries(pictures).map(([content_id, bytes]) => ({
    document_id: `doc_${content_id}`,
    filename: 'bild.png',
    mime_type: 'image/png',
    size_bytes: bytes.length,
    content_id,
  }))
  const record = receivedMail('ws_1', { attachments, ...changes })
  const reads: string[] = []
  const html = await quotedOriginal(
    {
      html: mailHtml,
      files: {
        read: async (key) => {
          if (key === bodyKey(record))
            return Buffer.from(JSON.stringify({ body_text: '', body_html: '', inline_images: [], ...body }))
          reads.push(key)
          return pictures[key] ?? Promise.reject(new Error(`There is no ${key}.`))
        },
      },
      documents: {
        findAll: async (_, ids) =>
          attachments
            .filter(({ document_id }) => ids.includes(document_id))
            .map(({ document_id, content_id, ...one }) => ({
              ...one,
              id: document_id,
              is_complete: true,
              case_id: null,
              key: content_id,
            })),
      },
    },
    record,
    '<p>Am …:</p>',
  )
  return { html, reads }
}

describe('the quotation of a received mail', () => {
  it('shows the small pictures in the mail', async () => {
    const body_html = '<p>Gruß</p><img src="cid:logo@mueller" alt="Logo" width="10" />'

    const { html } = await quote({ body_html, inline_images: [small] })

    expect(html).toContain('<p>Gruß</p>')
    const [tag = ''] = /<img [^>]*>/.exec(html) ?? []
    expect(tag).toContain(`src="data:image/png;base64,${dot}"`)
    expect(tag).toContain('alt="Logo"')
  })

  it('shows pictures that are attached documents', async () => {
    const { html } = await quote(
      { body_html: '<img src="cid:foto%2B1@mueller" />' },
      { pictures: { 'foto+1@mueller': Buffer.from(dot, 'base64') } },
    )

    expect(html).toContain(`src="data:image/png;base64,${dot}"`)
  })

  it('shows the alternative text of missing pictures, and of files that are not pictures', async () => {
    const body_html =
      '<img src="cid:weg" alt="Siegel" /><img src="https://example.com/x.png" alt="Zählpixel" />'

    const { html } = await quote({ body_html })

    expect(html).toContain('Siegel')
    expect(html).not.toMatch(/<img|https:/)
  })

  it('leaves out pictures that do not fit into a body, without reading them', async () => {
    const large = Buffer.alloc(900 * 1024, 1)
    const body_html = '<img src="cid:gross" alt="Großes Bild" /><img src="cid:logo@mueller" alt="Logo" />'

    const { html, reads } = await quote({ body_html, inline_images: [small] }, { pictures: { gross: large } })

    expect(reads).toEqual([])
    expect(html).toContain('Großes Bild')
    expect(html).toContain(dot)
    expect(Buffer.byteLength(html)).toBeLessThanOrEqual(maxBodyBytes)
  })

  it('counts a picture as often as it is shown', async () => {
    const photo = Buffer.alloc(300 * 1024, 1)
    const body_html = '<img src="cid:foto" />'.repeat(3)

    const { html } = await quote({ body_html }, { pictures: { foto: photo } })

    expect(html).not.toContain('<img')
  })

  it('shows only alternative texts if the mail has more pictures than allowed', async () => {
    const inline_images = Array.from({ length: 150 }, (_, at) => ({
      ...small,
      content_id: `b${at}`,
      data: Buffer.from(`${at}-Bild`).toString('base64'),
    }))
    const body_html = `<p>Fotos</p>${inline_images.map(({ content_id }) => `<img src="cid:${content_id}" alt="Foto" />`).join('')}`

    const { html } = await quote({ body_html, inline_images })

    expect(html).toContain('<p>Fotos</p>')
    expect(html).not.toContain('<img')
  })

  it('of a mail without HTML is its text', async () => {
    const { html } = await quote({ body_text: 'Guten Tag <Frau> Vogt,\n\nanbei.' })

    expect(html).toContain('Guten Tag &lt;Frau&gt; Vogt,\n\nanbei.')
    expect(html).not.toContain('[…]')
  })

  it('of a mail that could not be read is empty', async () => {
    const { html } = await quote({ body_html: 'nie' }, { status: 'failed' })

    expect(html).not.toContain('nie')
  })

  it('runs no code from the content id of a picture', async () => {
    const body_html = '<img src="cid:logo&quot; onerror=&quot;alert(1)" />'
    const inline_images = [
      { ...small, content_id: 'logo" onerror="alert(1)', mime_type: 'image/png" onerror="x' },
    ]

    const { html } = await quote({ body_html, inline_images })

    expect(html).not.toMatch(/onerror|<img/)
  })
})
