import { beforeAll, describe, expect, test } from 'vitest'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { sendEnvelope } from '#test/support/signing.ts'

describe('a page whose address got a slash at its end', () => {
  let firm: Firm

  beforeAll(async () => {
    firm = await newFirm()
  })

  test('is shown at its own address, so that its forms work', async () => {
    const { link } = await sendEnvelope(firm)
    const url = `${firm.baseUrl}/sign/${await link()}`

    const page = await fetch(`${url}/`)
    const [, action = ''] = /<form method="post" action="([^"]+)"/.exec(await page.text()) ?? []
    const opened = await fetch(new URL(action, page.url), { method: 'POST', redirect: 'manual' })

    expect([page.status, page.url, opened.status]).toEqual([200, url, 303])
  })

  test('keeps its query', async () => {
    const page = await fetch(`${firm.baseUrl}/verify/?sha256=abc`)

    expect([page.status, page.url]).toEqual([200, `${firm.baseUrl}/verify?sha256=abc`])
  })
})
