import { beforeAll, describe, expect, it } from 'vitest'
import { type Firm, newFirm } from '#test/support/firm.ts'

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

const part = (headers: string, content = 'Inhalt') => `--grenze\r\n${headers}\r\n\r\n${content}\r\n`
const fileHead = 'Content-Disposition: form-data; name="file"; filename="a.txt"'
const aFile = part(fileHead)
const field = (name: string, value: string) => part(`Content-Disposition: form-data; name="${name}"`, value)
const end = '--grenze--\r\n'

const send = async (raw: string | Uint8Array<ArrayBuffer>, type = 'multipart/form-data; boundary=grenze') => {
  const { status, body } = await firm.owner('POST', '/api/v1/documents', {
    raw,
    headers: { 'Content-Type': type },
  })
  return { status, body, code: body.error?.code }
}
const count = async () => (await firm.owner('GET', '/api/v1/documents?limit=100')).body.data.length

describe('a form', () => {
  it.each([
    ['a quoted boundary', 'multipart/form-data; boundary="grenze"', aFile + end],
    ['a charset before the boundary', 'multipart/form-data; charset=utf-8; boundary=grenze', aFile + end],
    ['capitals in its type', 'Multipart/Form-Data; Boundary=grenze', aFile + end],
    ['a preamble and an epilogue', undefined, `Vorwort\r\n${aFile}${end}Nachwort`],
    ['fields it does not know', undefined, field('unbekannt', 'x') + field('__proto__', 'y') + aFile + end],
    [
      'a file under a name it does not know',
      undefined,
      part(fileHead.replace('"file"', '"x"')) + aFile + end,
    ],
    ['no line break at the end', undefined, `${aFile}--grenze--`],
  ])('with %s is read', async (_, type, raw) => {
    const { status, body } = await send(raw, type)

    expect([status, body.filename, body.size_bytes]).toEqual([201, 'a.txt', 6])
  })

  it('with a boundary of quotes and special characters is read', async () => {
    const raw = (aFile + end).replaceAll('grenze', "a b:c/d=e?'f")
    const { status } = await send(raw, `multipart/form-data; boundary="a b:c/d=e?'f"`)

    expect(status).toBe(201)
  })

  it.each([
    ['in UTF-8', 'filename="Größe 5 €.txt"', 'utf8'],
    ['in Latin-1, as scanners send it', 'filename="Größe 5.txt"', 'latin1'],
    ['as filename*', "filename*=UTF-8''Gr%C3%B6%C3%9Fe%205%20%E2%82%AC.txt", 'utf8'],
    ['as filename* that fits into bytes', "filename*=UTF-8''Gr%C3%B6%C3%9Fe%205.txt", 'utf8'],
  ] as const)('gives the name of a file %s', async (_, name, encoding) => {
    const raw = part(fileHead.replace('filename="a.txt"', name)) + end

    const { body } = await send(new Uint8Array(Buffer.from(raw, encoding)))

    expect(body.filename).toMatch(/^Größe 5( €)?\.txt$/)
  })

  it.each([
    ['no boundary', aFile + end, 'multipart/form-data'],
    ['another boundary', aFile + end, 'multipart/form-data; boundary=andere'],
    ['its end cut off', aFile, undefined],
    ['its end cut off in a file', `--grenze\r\n${fileHead}\r\n\r\nInh`, undefined],
    ['its end cut off in a head', `--grenze\r\n${fileHead.slice(0, 30)}`, undefined],
    ['nothing in it', '', undefined],
    ['only an end', end, undefined],
    ['no file', field('case_id', '') + end, undefined],
    ['a field in the place of the file', field('file', 'Inhalt') + end, undefined],
    [
      'a file that was not chosen',
      part('Content-Disposition: form-data; name="file"; filename=""', '') + end,
      undefined,
    ],
    ['two files where one belongs', aFile + aFile + end, undefined],
    ['thousands of fields', field('x', '1').repeat(5_000) + aFile + end, undefined],
    [
      'thousands of files',
      part(fileHead.replace('"file"', '"x"'), 'a').repeat(2_000) + aFile + end,
      undefined,
    ],
    ['a field that is too long', field('case_id', 'x'.repeat(100_000)) + aFile + end, undefined],
    [
      'a field twice that belongs once',
      field('case_id', 'a') + field('case_id', 'b') + aFile + end,
      undefined,
    ],
    ['party_ids that are no list', field('party_ids', '[1,2]') + aFile + end, undefined],
    ['party_ids that are broken JSON', field('party_ids', '["a"') + aFile + end, undefined],
    [
      'a file without a name',
      part('Content-Disposition: form-data; filename="a.txt"') + aFile + end,
      undefined,
    ],
    ['a file with an empty name', part(fileHead.replace('"file"', '""')) + aFile + end, undefined],
    ['a field without a name', part('Content-Disposition: form-data') + aFile + end, undefined],
    ['a file after its end', `--grenze--\n${aFile}`, undefined],
    ['a name of 600 characters', part(fileHead.replace('a.txt', 'a'.repeat(600))) + end, undefined],
  ])('with %s answers 400 and stores nothing', async (_, raw, type) => {
    const before = await count()

    const { status, code, body } = await send(raw, type)

    expect([status, code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(JSON.stringify(body)).not.toContain('This must be .')
    expect(await count()).toBe(before)
  })

  it('that is no body at all answers 400', async () => {
    const { key } = await firm.colleague()

    const answer = await fetch(`${firm.baseUrl}/api/v1/documents`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
    })

    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: 'VALIDATION_ERROR' } }])
  })

  it.each([
    'application/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/mixed; boundary=grenze',
  ])('of the type %s answers 415', async (type) => {
    const { status, code } = await send(aFile + end, type)

    expect([status, code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
  })

  it('with more than a hundred parties answers 400', async () => {
    const many = JSON.stringify(Array(101).fill('01993f5e-0000-7000-8000-000000000000'))

    expect((await send(field('party_ids', many) + aFile + end)).status).toBe(400)
  })
})
