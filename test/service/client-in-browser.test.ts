import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type * as ClientModule from '#client/client.ts'
import { inRepository } from '#infra/in-repository.ts'
import { chromiumPath, startChromium } from '#test/support/chromium.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { sendEnvelope } from '#test/support/signing.ts'

/** Our client as a part of a web application: bundled for browsers, on a page of the service's own origin. */
declare const client: typeof ClientModule

const bundle = () =>
  build({
    entryPoints: [inRepository('packages/client/client.ts')],
    bundle: true,
    platform: 'browser',
    target: 'es2022',
    format: 'iife',
    globalName: 'client',
    metafile: true,
    write: false,
  })

it('the client is bundled for browsers without anything of Node', async () => {
  const { warnings, metafile, outputFiles } = await bundle()

  const [code = ''] = outputFiles.map(({ text }) => text)
  expect(warnings).toEqual([])
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([])
  expect(Object.keys(metafile.inputs)).toEqual([expect.stringMatching(/packages\/client\/client\.ts$/)])
  expect(code).not.toMatch(/\bprocess\.|\bBuffer\b|\brequire\(|node:/)
})

const chromium = chromiumPath()

describe.skipIf(chromium === undefined)('in Chromium', () => {
  let firm: Firm
  let apiKey: string
  let browser: Awaited<ReturnType<typeof startChromium>>
  beforeAll(async () => {
    firm = await newFirm()
    apiKey = (await firm.colleague()).key
    browser = await startChromium(chromium ?? '')
  })
  afterAll(() => browser?.close())

  /** An empty page beside the service, with the bundle in it. */
  async function pageWithClient() {
    const page = await browser.newPage()
    const address = `${firm.baseUrl}/application`
    await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
    await page.goto(address)
    const { outputFiles } = await bundle()
    await page.addScriptTag({ content: outputFiles[0]?.text ?? '' })
    return page
  }

  it('it opens a case, uploads a file and downloads it again', async () => {
    const page = await pageWithClient()

    const result = await page.evaluate(async (apiKey) => {
      const office = client.createClient({ baseUrl: '', apiKey })
      const opened = await office.createCase({ body: { name: 'Meier ./. Schulze' } })
      const body = new FormData()
      body.append('file', new Blob(['Grüße']), 'Schriftsätze.txt')
      body.append('case_id', opened.id)
      const { id } = await office.uploadDocument({ body })
      const download = await office.downloadDocument({ params: { id } })
      const refused = await office
        .getCase({ params: { id: opened.id.replace(/.$/, (last) => (last === '0' ? '1' : '0')) } })
        .catch((error) => [error instanceof client.AktenlageError, error.code])
      return { id: opened.id, filename: download.filename, text: await download.text(), refused }
    }, apiKey)

    expect(result).toMatchObject({
      filename: 'Schriftsätze.txt',
      text: 'Grüße',
      refused: [true, 'CASE_NOT_FOUND'],
    })
    expect((await firm.owner('GET', `/api/v1/cases/${result.id}`)).body.name).toBe('Meier ./. Schulze')
  })

  it('the browser keeps the cookie of an access code', async () => {
    const page = await pageWithClient()
    const envelope = await sendEnvelope(firm, {
      signers: [{ name: 'Anna Meier', access_code: 'Ahorn-27' }],
    })
    const token = await envelope.link()

    const led = await page.evaluate(async (token) => {
      const anybody = client.createClient({ baseUrl: '' })
      const params = { token }
      const code = new URLSearchParams({ code: 'Ahorn-27' })
      const led = await anybody.enterAccessCode({ params, body: code })
      await anybody.openForSigning({ params, body: new URLSearchParams() })
      return led
    }, token)

    expect(led).toEqual({})
    expect((await envelope.get()).status).toBe('in_progress')
  })
})
