import { beforeAll, describe, expect, it } from 'vitest'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { type Random, random } from '#test/support/random.ts'

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

describe('mutated forms', () => {
  it('are each answered without a fault of the service, six hundred of them', async () => {
    // Prepare
    const forms = Array.from({ length: 600 }, (_, seed) => mutatedForm(seed))
    const statuses = new Map<number, number>()

    // Act
    await eachAtOnce(16, forms, async (form) => {
      const status = await send(form)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    })

    // Assess
    const counted = Array.from(statuses.values()).reduce((sum, count) => sum + count, 0)
    expect(counted).toBe(forms.length)
    expect([...statuses.keys()].filter((status) => status >= 500)).toEqual([])
    // Mutations must reach beyond the head of the form: some forms stay readable, most do not.
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([201, 400, 415, 422]))
    expect((await firm.owner('GET', '/api/v1/workspace')).status).toBe(200)
  })
})

type Form = { path: string; contentType: string; body: Buffer<ArrayBuffer> }

async function send({ path, contentType, body }: Form): Promise<number> {
  const { status } = await firm.owner('POST', path, {
    raw: new Uint8Array(body),
    headers: { 'Content-Type': contentType, 'X-Service-Token': firm.workspace.webhook_token },
  })
  return status
}

async function eachAtOnce<Value>(
  workers: number,
  values: Value[],
  work: (value: Value) => Promise<void>,
): Promise<void> {
  const left = values[Symbol.iterator]()
  await Promise.all(
    Array.from({ length: workers }, async () => {
      for (const value of left) await work(value)
    }),
  )
}

/** A form that was right, for one of the endpoints that take forms, after one to four mutations. */
function mutatedForm(seed: number): Form {
  const { below, of } = random(seed)
  const parts = Array.from({ length: 1 + below(4) }, () => part({ below, of }))
  let body = Buffer.from(`${parts.join('')}--grenze--\r\n`, 'latin1')
  for (let left = 1 + below(4); left > 0; left -= 1) body = mutated(body, { below, of })
  return {
    path: of(['/api/v1/documents', '/api/v1/inbox/upload', `/webhooks/inbox/${firm.workspace.id}`]),
    contentType: of(contentTypes),
    body,
  }
}

const contentTypes = [
  ...Array(12).fill('multipart/form-data; boundary=grenze'),
  'multipart/form-data; boundary="grenze"; charset=utf-8',
  'multipart/form-data; charset=utf-16; boundary=grenze',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=renze',
  "multipart/form-data; boundary*=utf-8''grenze",
  'multipart/form-data; boundary=grenze; boundary=andere',
  `multipart/form-data; boundary=${'g'.repeat(4_000)}`,
  'multipart/form-data; "boundary=grenze',
]

function part({ below, of }: Random): string {
  const parameters = [
    of([
      '; name="file"',
      '; name="files"',
      '; name="files[]"',
      '; name="case_id"',
      '; name="metadata"',
      ...oddNames,
    ]),
    of(['; filename="a.txt"', '; filename="a.txt"', '', ...oddFilenames]),
  ]
  const headers = [
    `Content-Disposition: ${of(['form-data', 'form-data', 'form-data', 'FORM-DATA', 'attachment', ''])}${parameters.join('')}`,
    ...(below(2) === 0 ? [of(partHeaders)] : []),
  ]
  return `--grenze\r\n${headers.join('\r\n')}\r\n\r\n${of(contents)}\r\n`
}

const oddNames = [
  '',
  '; name=""',
  '; name',
  '; name="[]"',
  '; name="__proto__"',
  '; name="constructor"',
  '; name=file',
]
const oddFilenames = [
  '; filename=""',
  '; filename',
  "; filename*=UTF-8''%",
  "; filename*=utf-16''a%00",
  "; filename*=x'y'z",
  '; filename="\xff\xfe.txt"',
  '; filename="..\\..\\a"',
  `; filename="${'a'.repeat(600)}"`,
]
const partHeaders = [
  'Content-Type: application/octet-stream',
  'Content-Type: text/plain; charset=utf-99',
  'Content-Type: text/plain; charset=__proto__',
  'Content-Type: ;',
  'Content-Transfer-Encoding: base64',
  'Content-Disposition: form-data; name="file"; filename="zweimal.txt"',
  `X-Long: ${'x'.repeat(20_000)}`,
  Array.from({ length: 100 }, (_, at) => `X-${at}: 1`).join('\r\n'),
]
const contents = [
  'Inhalt',
  '',
  '\x00\x01\x02',
  '{"a":1}',
  '["pty_1"]',
  '\r\n--grenz',
  'x'.repeat(70_000),
  '\xc3',
]

function mutated(body: Buffer<ArrayBuffer>, { below, of }: Random): Buffer<ArrayBuffer> {
  const at = below(body.length + 1)
  const some = body.subarray(at, at + 1 + below(40))
  const mutations: (() => Uint8Array[])[] = [
    () => [body],
    () => [body.subarray(0, at), body.subarray(at + some.length)],
    () => [body.subarray(0, at), some, body.subarray(at)],
    () => [body.subarray(0, at), Buffer.from([below(256)]), body.subarray(at + 1)],
    () => [body.subarray(0, at), Buffer.from(of(pieces), 'latin1'), body.subarray(at)],
    () => [body.subarray(0, at)],
    () => [Buffer.from(body.toString('latin1').replace(of(pieces), of(pieces)), 'latin1')],
  ]
  return Buffer.concat(of(mutations)())
}

const pieces = [
  '\r\n',
  '\r',
  '\n',
  '--',
  '--grenze',
  '\r\n--grenze\r\n',
  '\r\n--grenze--\r\n',
  'name="file"',
  'name=',
  'filename="a.txt"',
  'filename=',
  '"',
  ';',
  ':',
  '\x00',
]
