import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveToys, type ToyGateway } from '#test/support/toy-gateway.ts'
import * as toys from './toy-service.ts'

const { secrets } = toys
const { showToyManual, showToys, orderToy, pushToy } = toys
let gateway: ToyGateway
beforeAll(async () => {
  gateway = await serveToys({ showToyManual, showToys, orderToy, pushToy }, toys.toyServices())
})
afterAll(() => gateway.close())

/** Sends headers as they are; `fetch` would trim them. */
function ask(path: string, headers: Record<string, string>, method = 'GET') {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
  request(gateway.baseUrl + path, { method, headers }, (response) => {
    response
      .setEncoding('utf8')
      .toArray()
      .then((chunks) => {
        resolve({ status: response.statusCode ?? 0, text: chunks.join('') })
      }, reject)
  })
    .on('error', reject)
    .end()
  return promise
}

const manual = `/toys/${secrets.one}/manuals/Bagger.pdf`
const json = { Accept: 'application/json' }

describe('a header that is too long to be read', () => {
  it.each([
    ['Range of tabs', 'Range', `bytes=${'\t'.repeat(12_000)}x`],
    ['Range of digits', 'Range', `bytes=${'1'.repeat(9_000)}-`],
    ['Range of many parts', 'Range', `bytes=${'0-1,'.repeat(2_000)}2-3`],
    ['If-None-Match', 'If-None-Match', '"a",'.repeat(2_500)],
    ['If-Range', 'if-range', `"${'x'.repeat(9_000)}"`],
    ['Prefer', 'PREFER', 'handling=strict;'.repeat(700)],
    ['Accept-Language', 'Accept-Language', 'de;q=0.9,'.repeat(1_000)],
  ])('is refused with its name: %s', async (_, name, value) => {
    const { status, text } = await ask(manual, { ...json, [name]: value })

    const { code, details } = JSON.parse(text).error
    expect([status, code, details.length]).toEqual([400, 'VALIDATION_ERROR', 1])
    expect(details[0].path.toLowerCase()).toBe(`header.${name.toLowerCase()}`)
  })

  it('is refused with a page if a person asks, also if the long header is the one that asks for a page', async () => {
    const { status, text } = await ask(`/toys/${secrets.one}`, { Accept: 'text/html,'.repeat(1_000) })

    expect([status, text.slice(0, 15)]).toEqual([400, '<!doctype html>'])
  })

  it('is refused after the credential check: without a credential nobody learns more', async () => {
    const long = { ...json, Range: `bytes=${'\t'.repeat(9_000)}` }

    expect((await ask('/toys/unknown/manuals/Bagger.pdf', long)).status).toBe(404)
  })

  it('is not accepted as a credential', async () => {
    const long = { 'X-Toy-Secret': secrets.one.repeat(200) }

    expect((await ask(`/toy-box/${toys.toyId}`, long, 'POST')).status).toBe(401)
  })

  it('does not matter if nothing reads it', async () => {
    expect((await ask(manual, { Referer: `https://example.de/${'x'.repeat(9_000)}` })).status).toBe(200)
  })
})

describe('a range', () => {
  it.each([
    ['with white space around it', ' \tbytes= \t2-4 \t', 206],
    ['in capitals', 'BYTES=2-4', 206],
    ['far beyond the end', `bytes=2-${'9'.repeat(400)}`, 206],
    ['from far beyond the end', `bytes=${'9'.repeat(400)}-`, 416],
    ['of tabs, as many as are read', `bytes=${'\t'.repeat(4_000)}x`, 200],
    ['of digits and tabs in turn', `bytes=${'1\t'.repeat(2_000)}`, 200],
    ['without a number', 'bytes=-', 200],
    ['of several parts', 'bytes=0-1,3-4', 200],
  ])('%s is understood or left aside', async (_, range, expected) => {
    expect((await ask(manual, { Range: range })).status).toBe(expected)
  })
})
