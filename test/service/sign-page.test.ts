import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inRepository } from '#infra/in-repository.ts'
import { chromiumPath, startChromium } from '#test/support/chromium.ts'
import { corpus } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import {
  type CaseWithDocuments,
  caseWithDocuments,
  type EnvelopeOptions,
  type SentEnvelope,
  sendEnvelope,
  visitor,
} from '#test/support/signing.ts'

/** The signer's page as people have it: in a browser, on a telephone and a desktop, in both languages (S6). */
const chromium = chromiumPath()
const axe = readFileSync(inRepository('node_modules/axe-core/axe.min.js'), 'utf8')

let firm: Firm
let office: CaseWithDocuments
let browser: Browser
beforeAll(async () => {
  if (chromium === undefined) return
  firm = await newFirm('Vogt & Çelik Rechtsanwälte PartG mbB')
  office = await caseWithDocuments(firm, documents)
  browser = await startChromium(chromium)
})
afterAll(() => browser?.close())

const sizes = { telephone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } }
const locales = ['de-DE', 'en-GB']

const documents = [
  { bytes: corpus('vertrag.pdf'), filename: 'Vollmacht Meier.pdf' },
  { bytes: 'Vergütung', filename: 'Vergütungsvereinbarung_2026-11-20_Fassung-3.txt' },
]
const message =
  'Sehr geehrte Frau Meier,\n\nbitte unterschreiben Sie die Vollmacht bis Freitag.\n\nMit freundlichen Grüßen\nJana Vogt'
/** Makes an envelope of the documents of the firm's case. */
const makeEnvelope = (of: EnvelopeOptions) =>
  sendEnvelope(firm, {
    of: office,
    fields: { title: 'Vollmacht und Vergütungsvereinbarung', message },
    ...of,
  })

/** Makes an envelope and opens its page in a new browser context. */
async function visit(
  context: Parameters<Browser['newContext']>[0] = {},
  of: EnvelopeOptions = {},
): Promise<{ page: Page; context: BrowserContext; envelope: SentEnvelope; token: string; address: string }> {
  const envelope = await makeEnvelope(of)
  const token = await envelope.link()
  const made = await browser.newContext({ locale: 'de-DE', viewport: sizes.telephone, ...context })
  const page = await made.newPage()
  const address = `${firm.baseUrl}/sign/${token}`
  await page.goto(address)
  return { page, context: made, envelope, token, address }
}

const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** The violations of WCAG 2.2 A and AA that axe finds, and by how much the page is wider than the screen. */
async function faultsOf(page: Page, tags = wcag): Promise<unknown[]> {
  // As a debugger: the policy of the page keeps all scripts out but its own.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe)
  const violations = await page.evaluate<unknown[]>(`axe.run(document, {
    runOnly: ${JSON.stringify(tags)},
  }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`)
  const overflow = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  return overflow > 0 ? [...violations, `wider than the screen by ${overflow} pixels`] : violations
}

/** Lets forms be sent that the browser itself would refuse. */
async function withoutValidation(page: Page): Promise<void> {
  await page.evaluate('for (const form of document.forms) form.noValidate = true')
}

/** Keeps a picture of the page for people to look at, where `SIGN_PICTURES` names a folder. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.SIGN_PICTURES
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

const two = [{ name: 'Anna Meier' }, { name: 'Emre Çelik' }]
const withCode = { signers: [{ name: 'Anna Meier', access_code: 'Ahorn-27' }] }

type Prepared = { token: string; path?: string; act?: (page: Page) => Promise<unknown> }

const linked = async (of: EnvelopeOptions = {}) => {
  const envelope = await makeEnvelope(of)
  const token = await envelope.link()
  return { envelope, token, one: visitor(firm, token) }
}

/** Each state of the pages, and how it comes about. */
const states: Record<string, () => Promise<Prepared>> = {
  unopened: async () => linked(),
  open: async () => {
    const { token, one } = await linked()
    await one.open()
    return { token, act: (page) => page.getByText(/Ich möchte nicht|I do not want/).click() }
  },
  approving: async () => {
    const { token, one } = await linked({ signers: [{ name: 'Anna Meier', role: 'approver' }] })
    await one.open()
    return { token }
  },
  refused: async () => {
    const { token, one } = await linked()
    await one.open()
    const act = async (page: Page) => {
      await withoutValidation(page)
      await page.getByRole('button', { name: /Jetzt unterschreiben|Sign now/ }).click()
      await page.waitForSelector('[role=alert]')
    }
    return { token, act }
  },
  signed: async () => {
    const { token, one } = await linked({ signers: two })
    await one.open()
    await one.sign()
    return { token }
  },
  completed: async () => {
    const { envelope, token, one } = await linked()
    await one.open()
    await one.sign()
    await envelope.untilCompleted()
    return { token }
  },
  code: async () => linked(withCode),
  'wrong-code': async () => {
    const { token } = await linked(withCode)
    const act = async (page: Page) => {
      await page.locator('#code').fill('Birke-1')
      await page.getByRole('button').click()
      await page.waitForSelector('[role=alert]')
    }
    return { token, act }
  },
  locked: async () => {
    const { token, one } = await linked(withCode)
    for (let attempt = 0; attempt < 5; attempt += 1) await one.post('access', { code: 'falsch' })
    return { token }
  },
  declined: async () => {
    const { token, one } = await linked()
    await one.open()
    await one.decline()
    return { token }
  },
  voided: async () => {
    const { envelope, token } = await linked()
    const body = { reason: 'Falsch' }
    await firm.owner('POST', `/api/v1/signing/envelopes/${envelope.id}/void`, { body })
    return { token }
  },
  unknown: async () => ({ token: 'A'.repeat(43) }),
  twice: async () => {
    const { token, one } = await linked({ signers: two })
    await one.open()
    await one.sign()
    // A form that was left open in another tab.
    const act = async (page: Page) => {
      await page.evaluate(
        "document.querySelector('main').innerHTML = '<form method=post><button>x</button></form>'",
      )
      await page.evaluate(`document.forms[0].action = '/sign/${token}/sign'`)
      await page.evaluate(
        "document.forms[0].innerHTML = '<input name=name value=Anna><input name=consent value=yes>'",
      )
      await Promise.all([page.waitForURL(/\/sign$/), page.evaluate('document.forms[0].submit()')])
    }
    return { token, act }
  },
  verify: async () => ({ token: '', path: '/verify' }),
  'verify-unknown': async () => ({ token: '', path: `/verify?sha256=${'a'.repeat(64)}` }),
  'verify-malformed': async () => ({ token: '', path: '/verify?sha256=abc' }),
}

describe.skipIf(chromium === undefined)('in a browser', () => {
  /** A tab for each language: Chromium takes seconds of processor time for another one. */
  const tabs = new Map<string, Page>()
  beforeAll(async () => {
    for (const locale of locales) {
      const context = await browser.newContext({ locale, viewport: sizes.telephone })
      tabs.set(locale, await context.newPage())
    }
  })

  it.each(
    Object.entries(states),
  )('the page “%s” is accessible in German and English, and fits a telephone and a desktop', async (state, prepare) => {
    const { token, path = `/sign/${token}`, act } = await prepare()
    for (const [locale, page] of tabs) {
      const language = locale.slice(0, 2)
      await page.emulateMedia({ colorScheme: null })
      await page.setViewportSize(sizes.telephone)
      const faults: string[] = []
      page.on('console', (entry) => {
        const isStatus = /status of (404|409|410|422)/.test(entry.text())
        if (entry.type() === 'error' && !isStatus) faults.push(entry.text())
      })
      page.on('pageerror', (error) => faults.push(error.message))

      await page.goto(firm.baseUrl + path)
      await act?.(page)

      expect(await page.getAttribute('html', 'lang')).toBe(language)
      for (const [size, viewport] of Object.entries(sizes)) {
        await page.setViewportSize(viewport)
        await picture(page, `${state}-${language}-${size}`)
        expect(await faultsOf(page)).toEqual([])
      }
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await faultsOf(page, ['cat.color'])).toEqual([])
      await picture(page, `${state}-${language}-dark`)
      expect(faults).toEqual([])
      page.removeAllListeners()
    }
  })

  it('one signs with a finger: what is drawn is stored as a PNG, strokes can be taken back', async () => {
    const { page, envelope, context } = await visit({ hasTouch: true, isMobile: true }, { signers: two })
    await page.getByRole('button', { name: 'Dokumente öffnen' }).click()
    const canvas = page.locator('canvas')
    await canvas.scrollIntoViewIfNeeded()
    const box = await canvas.boundingBox()
    if (box === null) throw new Error('There is no field to draw in.')
    const stroke = async (from: number, to: number) => {
      await page.mouse.move(box.x + from, box.y + 40)
      await page.mouse.down()
      for (let step = 1; step <= 12; step += 1)
        await page.mouse.move(box.x + from + ((to - from) * step) / 12, box.y + 40 + 50 * Math.sin(step))
      await page.mouse.up()
    }
    const drawn = () => page.locator('[name=signature]').inputValue()

    await stroke(30, 150)
    const one = await drawn()
    await stroke(160, 260)
    const both = await drawn()
    await picture(page, 'drawn')
    await page.getByRole('button', { name: 'Strich zurücknehmen' }).click()
    const undone = await drawn()
    await page.getByRole('button', { name: 'Alles löschen' }).click()
    const cleared = await drawn()
    await stroke(30, 200)
    await page.getByLabel('Ihr Vor- und Nachname').fill('Anna Meier')
    await page.getByLabel(/Ich habe die Dokumente gelesen/).check()
    await page.getByRole('button', { name: 'Jetzt unterschreiben' }).click()
    await page.getByText('Vielen Dank, Sie haben unterschrieben').waitFor()

    expect(one).toMatch(/^data:image\/png;base64,/)
    expect(both).not.toBe(one)
    expect([undone, cleared]).toEqual([one, ''])
    expect((await envelope.audit()).at(-1).details.picture_sha256).toMatch(/^[0-9a-f]{64}$/)
    await context.close()
  })

  it('a refused form shows the drawn and typed signature again', async () => {
    const { page, context } = await visit({}, { signers: two })
    await page.getByRole('button', { name: 'Dokumente öffnen' }).click()
    await page.locator('canvas').scrollIntoViewIfNeeded()
    const box = await page.locator('canvas').boundingBox()
    await page.mouse.move((box?.x ?? 0) + 20, (box?.y ?? 0) + 20)
    await page.mouse.down()
    await page.mouse.move((box?.x ?? 0) + 120, (box?.y ?? 0) + 90, { steps: 5 })
    await page.mouse.up()
    await page.locator('#name').fill('Anna "Ä" <Meier>')
    await withoutValidation(page)

    await page.getByRole('button', { name: 'Jetzt unterschreiben' }).click()
    await page.waitForSelector('[role=alert]')

    expect(await page.locator('#name').inputValue()).toBe('Anna "Ä" <Meier>')
    const focused = () => page.evaluate<string | null>("document.activeElement.getAttribute('role')")
    expect(await focused()).toBe('alert')
    await expect
      .poll(() => page.getByRole('button', { name: 'Alles löschen' }).isEnabled(), { timeout: 60_000 })
      .toBe(true)
    await page.locator('#consent').check()
    await page.getByRole('button', { name: 'Jetzt unterschreiben' }).click()
    await page.getByText('Vielen Dank').waitFor()
    await context.close()
  })

  it('one opens, reads and signs with the keyboard alone', async () => {
    const { page, envelope, context } = await visit({ viewport: sizes.desktop }, { signers: two })
    const tabTo = async (wanted: string) => {
      for (let presses = 0; presses < 30; presses += 1) {
        await page.keyboard.press('Tab')
        const [text, outline] = await page.evaluate<[string, string]>(
          '[document.activeElement.id || document.activeElement.textContent, getComputedStyle(document.activeElement).outlineStyle]',
        )
        if (text.includes(wanted)) {
          expect(outline).not.toBe('none')
          return
        }
      }
      throw new Error(`The keyboard does not reach ${wanted}.`)
    }

    await tabTo('Dokumente öffnen')
    await page.keyboard.press('Enter')
    await page.waitForSelector('#sign')
    await tabTo('Vollmacht Meier')
    await tabTo('name')
    await page.keyboard.type('Anna Meier')
    await tabTo('consent')
    await page.keyboard.press('Space')
    await tabTo('Jetzt unterschreiben')
    await page.keyboard.press('Enter')
    await page.getByText('Vielen Dank').waitFor()

    expect((await envelope.get()).signers[0].status).toBe('signed')
    await context.close()
  })

  it('one signs, or declines, with JavaScript off', async () => {
    const { page, envelope, context } = await visit({ javaScriptEnabled: false }, { signers: two })
    await page.getByRole('button', { name: 'Dokumente öffnen' }).click()
    expect(await page.locator('canvas').isVisible()).toBe(false)
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      page.getByText('Vollmacht Meier').click(),
    ])
    await opened.close()
    await page.locator('#name').fill('Anna Meier')
    await page.locator('#consent').check()
    await page.getByRole('button', { name: 'Jetzt unterschreiben' }).click()
    expect(await page.textContent('main')).toContain('Vielen Dank')

    await page.goto(`${firm.baseUrl}/sign/${await envelope.link(1)}`)
    await page.getByRole('button', { name: 'Dokumente öffnen' }).click()
    await page.getByText('Ich möchte nicht unterschreiben').click()
    await page.getByLabel('Grund der Ablehnung').fill('Der Betrag stimmt nicht.')
    await page.getByRole('button', { name: 'Ablehnen' }).click()

    expect(await page.textContent('main')).toContain('Sie haben abgelehnt')
    expect((await envelope.get()).status).toBe('declined')
    await context.close()
  })

  it('a code opens the page in this browser, and in no other', async () => {
    const { page, context, address } = await visit({}, withCode)
    expect(await page.content()).not.toContain('Vollmacht')
    await page.getByLabel('Zugangscode').fill(' Ahorn-27 ')
    await page.getByRole('button', { name: 'Weiter' }).click()
    await page.getByRole('button', { name: 'Dokumente öffnen' }).click()
    await page.waitForSelector('#sign')

    const other = await (await browser.newContext({ locale: 'de-DE' })).newPage()
    await other.goto(address)

    expect(await other.content()).not.toContain('Vollmacht')
    const [cookie] = await context.cookies(address)
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: new URL(address).pathname })
    await other.context().close()
    await context.close()
  })

  it('a sealed file is verified without leaving the machine; one changed byte, and it is unknown', async () => {
    const { envelope, token, one } = await linked()
    await one.open()
    await one.sign()
    await envelope.untilCompleted()
    const copy = await fetch(`${firm.baseUrl}/sign/${token}/copies/${envelope.documents[0]?.id}`)
    const bytes = Buffer.from(await copy.arrayBuffer())
    const changed = Buffer.from(bytes)
    changed[bytes.length >> 1] = (changed[bytes.length >> 1] ?? 0) ^ 1
    const context = await browser.newContext({ locale: 'de-DE', viewport: sizes.telephone })
    const page = await context.newPage()
    const sent: (string | null)[] = []
    page.on('request', (request) => sent.push(`${request.method()} ${request.postData() ?? ''}`))
    const verify = async (buffer: Buffer) => {
      await page.goto(`${firm.baseUrl}/verify`)
      await page
        .getByLabel('PDF-Datei wählen')
        .setInputFiles({ name: 'a.pdf', mimeType: 'application/pdf', buffer })
      await page.waitForURL(/sha256=[0-9a-f]{64}$/)
      await picture(page, buffer === bytes ? 'verify-known' : 'verify-changed')
      expect(await faultsOf(page)).toEqual([])
      return page.textContent('main')
    }

    const [known, unknown] = [await verify(bytes), await verify(changed)]

    expect(known).toContain('Diese Datei ist gesiegelt und unverändert')
    expect(known).toContain('Anna Meier')
    expect(known).toContain('Vollmacht und Vergütungsvereinbarung')
    expect(unknown).toContain('Diese Datei ist nicht bekannt')
    expect(new Set(sent)).toEqual(new Set(['GET ']))
    await context.close()
  })

  it('on an address without TLS the page says that it computes no fingerprint, and takes one by hand', async () => {
    const context = await browser.newContext({ locale: 'de-DE', viewport: sizes.telephone })
    const page = await context.newPage()
    // Browsers trust their own machine; what has another name and no TLS they do not.
    await page.route('http://kanzlei.test/**', async (route) => {
      const { pathname, search } = new URL(route.request().url())
      const answer = await fetch(`${firm.baseUrl}${pathname}${search}`, {
        headers: { 'Accept-Language': 'de' },
      })
      const headers = Object.fromEntries(answer.headers)
      await route.fulfill({ status: answer.status, headers, body: await answer.text() })
    })

    await page.goto('http://kanzlei.test/verify')
    const hint = page.getByText('nur auf sicheren Adressen (https)')
    expect(await hint.isVisible()).toBe(true)
    expect(await page.getByLabel('PDF-Datei wählen').isVisible()).toBe(false)
    await picture(page, 'verify-insecure')
    expect(await faultsOf(page)).toEqual([])

    await page.getByLabel('SHA-256 der Datei').fill('ab'.repeat(32))
    await page.getByRole('button', { name: 'Prüfen' }).click()
    await page.waitForURL(/sha256=/)
    expect(await page.textContent('main')).toContain('Diese Datei ist nicht bekannt')
    await context.close()
  })

  it('on an address that the browser trusts there is no such hint', async () => {
    const context = await browser.newContext({ locale: 'de-DE' })
    const page = await context.newPage()

    await page.goto(`${firm.baseUrl}/verify`)

    expect(await page.getByText('nur auf sicheren Adressen (https)').isVisible()).toBe(false)
    expect(await page.getByLabel('PDF-Datei wählen').isVisible()).toBe(true)
    await context.close()
  })
})
