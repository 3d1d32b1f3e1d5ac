import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath, startChromium } from '#test/support/chromium.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { newAddress, send } from '#test/support/sent-mail.ts'

/** The pages of the office, looked at with a real browser of the width of a telephone. */

const chromium = chromiumPath()
const long = 'Verwaltungsgerichtsbescheinigungsanforderung'.repeat(4)

let firm: Firm
let browser: Browser
beforeAll(async () => {
  if (chromium === undefined) return
  firm = await newFirm('Vogt & Çelik Rechtsanwälte PartG mbB')
  browser = await startChromium(chromium)
  const { id: case_id } = (await firm.owner('POST', '/api/v1/cases', { body: { name: `Weber ./. ${long}` } }))
    .body
  for (const title of ['Berufung', long, 'Frist mit <b>Zeichen</b> & Umlauten äöüß'])
    await firm.owner('POST', '/api/v1/deadlines', {
      body: { title, case_id, due_at: '2027-03-02', create_vorfrist: true },
    })
})
afterAll(() => browser?.close())

/** The page shows the newest fifty mails of this machine, and other tests send mails too. */
const sendLong = () =>
  send(firm.owner, { to: [newAddress()], subject: long, body_html: `<p>${long}</p><pre>${long}</pre>` })

/** A page of the width of a telephone, opened as the owner. */
async function visit(path: string) {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true })
  const page = await context.newPage()
  if (!path.startsWith('/api/')) await page.goto(`${firm.baseUrl}${path}`)
  else await page.setContent((await firm.owner('GET', path, { headers: { Accept: 'text/html' } })).body)
  return page
}

describe.skipIf(chromium === undefined)('a page on a telephone', () => {
  it.each([
    ['the register of a day', '/api/v1/deadlines/register?date=2027-03-02'],
    ['the sent mail of this machine', '/local/mail'],
    ['a sent mail', '/local/mail', long],
  ])('%s is as wide as the screen, and its text is not small', async (_, path, link?: string) => {
    if (path === '/local/mail') await sendLong()
    const page = await visit(path)
    if (link !== undefined) await page.getByRole('link', { name: link }).first().click()
    await page.getByText(long).first().waitFor({ state: 'attached' })

    const [excess, smallest] = await page.evaluate<[number, number]>(`[
      document.documentElement.scrollWidth - document.documentElement.clientWidth,
      Math.min(...[...document.querySelectorAll('td, th, p, a')].map((one) => parseFloat(getComputedStyle(one).fontSize))),
    ]`)

    expect(excess).toBeLessThanOrEqual(0)
    expect(smallest).toBeGreaterThanOrEqual(12)
    await page.context().close()
  })
})
