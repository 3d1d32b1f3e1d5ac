import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { readForm } from '#http/form.ts'
import { defaultLimits } from '#http/form-fields.ts'
import { Failure } from '#kernel/failure.ts'
import fc from '#test/support/properties.ts'

const limits = { ...defaultLimits, files: 100 }
const type = 'multipart/form-data; boundary=grenze'

const part = (head: string, content = 'Inhalt') => `--grenze\r\n${head}\r\n\r\n${content}\r\n`
const disposition = (parameters: string) => `Content-Disposition: form-data; ${parameters}`
const aFile = part(disposition('name="file"; filename="a.txt"'))
const end = '--grenze--\r\n'

const read = (raw: string | Buffer, contentType = type) =>
  readForm(
    {
      body: Buffer.from(raw as string).toString('base64'),
      isBase64Encoded: true,
      headers: { 'Content-Type': contentType },
      pathParameters: null,
      multiValueQueryStringParameters: null,
    },
    limits,
  )
const outcome = (raw: string | Buffer, contentType = type) =>
  read(raw, contentType).then(
    ({ fields, files }) => ({
      fields,
      files: files.map(({ name, filename, bytes }) => [
        name,
        filename,
        Buffer.from(bytes).toString('latin1'),
      ]),
    }),
    (error) => (error instanceof Failure ? error.kind : error),
  )

/** The behaviour of middy's parser alone, in a separate process, which it may end. */
function parserAlone(raw: string | Buffer, contentType = type): { died: boolean; printed: string } {
  const script = `
    import parser from '@middy/http-multipart-body-parser'
    const event = { headers: { 'content-type': ${JSON.stringify(contentType)} },
      body: '${Buffer.from(raw as string).toString('base64')}', isBase64Encoded: true }
    const { before } = parser()
    const limit = new Promise((resolve) => setTimeout(resolve, 300, 'waits for ever'))
    const answer = Promise.resolve().then(() => before({ event })).then(() => JSON.stringify(event.body,
      (key, value) => value?.type === 'Buffer' ? Buffer.from(value.data).toString() : value), () => 'refused')
    const printed = await Promise.race([answer, limit])
    // Effects after the answer count as well: the process answers other requests.
    await new Promise((resolve) => setTimeout(resolve, 50))
    console.log(printed)
    process.exit()`
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  })
  return { died: status !== 0, printed: stdout.trim() }
}

/** Why a guard stands before the parser. If one of these tests fails, the parser has been fixed: make the guard smaller. */
describe('middy’s parser, and the reaction of the guard:', () => {
  it.each([
    ['a file that is cut off', `--grenze\r\n${disposition('name="file"; filename="a.txt"')}\r\n\r\nInh`],
    ['a field without a name', part(disposition('x="y"')) + aFile + end],
  ])('%s ends the process, here it is refused', async (_, raw) => {
    expect(parserAlone(raw).died).toBe(true)
    expect(await outcome(raw)).toBe('invalid')
  })

  it('a part without the end of its head waits for ever, here it is refused', async () => {
    const raw = `--grenze\r\n${disposition('name="file"')}\r\n${end}`

    expect(parserAlone(raw)).toEqual({ died: false, printed: 'waits for ever' })
    expect(await outcome(raw)).toBe('invalid')
  })

  it('a large part that is left out is waited for without end, here the form is refused', async () => {
    const raw = part('Content-Disposition: attachment; name="file"', 'x'.repeat(70_000)) + end

    expect(parserAlone(raw)).toEqual({ died: false, printed: 'waits for ever' })
    expect(await outcome(raw)).toBe('invalid')
  })

  it('of fields with one name all but the last are lost, here they are a list', async () => {
    const raw = part(disposition('name="party_ids"'), 'a') + part(disposition('name="party_ids"'), 'b') + end

    expect(parserAlone(raw).printed).toBe('{"party_ids":"b"}')
    expect(await outcome(raw)).toMatchObject({ fields: { party_ids: ['a', 'b'] } })
  })

  it('files with one name come in reverse, here in their order', async () => {
    const raw = ['1', '2', '3'].map((n) => part(disposition(`name="f"; filename="${n}"`), n)).join('') + end

    expect(
      JSON.parse(parserAlone(raw).printed).f.map(({ filename }: { filename: string }) => filename),
    ).toEqual(['3', '2', '1'])
    expect(await outcome(raw)).toMatchObject({
      files: [
        ['f', '1', '1'],
        ['f', '2', '2'],
        ['f', '3', '3'],
      ],
    })
  })

  it.each([
    'multipart/form-data; boundary="grenze"',
    'multipart/form-data;boundary=grenze',
    'multipart/form-data; charset=utf-8; boundary=grenze',
  ])('the content type %s is refused, here it is read', async (contentType) => {
    expect(parserAlone(aFile + end, contentType).printed).toBe('refused')
    expect(await outcome(aFile + end, contentType)).toMatchObject({ files: [['file', 'a.txt', 'Inhalt']] })
  })

  it('the name of a file in Latin-1 is destroyed, here it is read', async () => {
    const raw = Buffer.from(part(disposition('name="f"; filename="Größe.txt"')) + end, 'latin1')

    expect(parserAlone(raw).printed).toContain('Gr\ufffd\ufffde.txt')
    expect(await outcome(raw)).toMatchObject({ files: [['f', 'Größe.txt', 'Inhalt']] })
  })

  it('of a name and its stand-in the stand-in is taken, here the name (as .NET sends them)', async () => {
    const names = `name="f"; filename="=?utf-8?B?R3LDtsOfZS50eHQ=?="; filename*=utf-8''Gr%C3%B6%C3%9Fe.txt`
    const raw = part(disposition(names)) + end

    expect(parserAlone(raw).printed).toContain('=?utf-8?B?')
    expect(await outcome(raw)).toMatchObject({ files: [['f', 'Größe.txt', 'Inhalt']] })
  })

  it('a part that it cannot read is left out, here the form is refused', async () => {
    const raw = part('Content-Type: application/pdf') + aFile + end

    expect(parserAlone(raw).printed).not.toContain('application/pdf')
    expect(await outcome(raw)).toBe('invalid')
  })
})

describe('a form', () => {
  it('gives back what was sent: names, texts and bytes, in their order', async () => {
    const names = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .map(withoutQuotes)
      .filter(Boolean)
    const file = fc.record({
      name: fc.constantFrom('file', 'files[]', 'attachment-1', '__proto__', 'constructor', '1'),
      filename: names,
      bytes: fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        fc.uint8Array({ minLength: 60_000, maxLength: 200_000 }),
      ),
    })
    const field = fc.record({
      name: fc.constantFrom('a', 'b', 'party_ids[]', '__proto__', '0'),
      value: fc.string({ unit: 'binary', maxLength: 300 }).map((text) => text.toWellFormed()),
    })
    const forms = fc.array(fc.oneof(file, field), { maxLength: 12 })

    await fc.assert(
      fc.asyncProperty(forms, async (parts) => {
        const { fields, files } = await read(encoded(parts))

        const sentFiles = parts.flatMap((one) => ('bytes' in one ? [one] : []))
        expect(
          files.map(({ name, filename, bytes }) => ({ name, filename, bytes: Buffer.from(bytes) })),
        ).toEqual(
          sentFiles.map(({ name, filename, bytes }) => ({
            name: name.replace('[]', ''),
            filename,
            bytes: Buffer.from(bytes),
          })),
        )
        const sentFields = parts.flatMap((one) => ('value' in one ? [one] : []))
        const grouped = Map.groupBy(sentFields, ({ name }) => name.replace('[]', ''))
        expect(Object.entries(fields).map(([name, values]) => [name, [values].flat()])).toEqual(
          [...grouped].map(([name, all]) => [name, all.map(({ value }) => value)]).toSorted(asObjectsSort),
        )
      }),
      { numRuns: 60 },
    )
  })

  it.each([
    'a; old-filename=b',
    'a; old=name',
    'a; filename=b',
  ])('whose boundary is %s, and stands in a head, does not keep a request waiting', async (boundary) => {
    const head = (line: string) => `X: filename*=\r\n--${line}`
    const whole = (line: string) => `--${boundary}\r\n${head(line)}\r\n\r\nInhalt\r\n--${boundary}--\r\n`
    const contentType = `multipart/form-data; boundary="${boundary}"`

    for (const line of ['a;filename=b', 'a; filename=b', `a;filename="b"`, boundary])
      expect(await outcome(whole(line), contentType)).toBe('invalid')
  })

  it.each([
    ['in UTF-8', 'Content-Type: text/plain; charset=UTF-8', 'utf8'],
    ['in the charset that its head names', 'Content-Type: text/plain; charset="ISO-8859-1"', 'latin1'],
  ] as const)('has a field %s', async (_, contentType, encoding) => {
    const raw = Buffer.from(part(`${disposition('name="a"')}\r\n${contentType}`, 'Größe') + end, encoding)

    expect(await outcome(raw)).toMatchObject({ fields: { a: 'Größe' } })
  })

  it('has a file without a name if its type is not a text type', async () => {
    const typed = (type: string) => part(`${disposition('name="a"')}\r\nContent-Type: ${type}`, 'Größe')
    const raw =
      typed('application/pdf') + typed('image/png') + typed('application/json') + typed('text/csv') + end

    const { fields, files } = await read(Buffer.from(raw))

    expect(fields).toEqual({ a: ['Größe', 'Größe'] })
    expect(files.map(({ filename, claimedType }) => [filename, claimedType])).toEqual([
      ['', 'application/pdf'],
      ['', 'image/png'],
    ])
  })

  it('has a field in Windows-1252 only if the endpoint says so', async () => {
    const raw = Buffer.from(part(disposition('name="a"'), 'Größe \x80') + end, 'latin1')
    const event = {
      body: raw.toString('base64'),
      isBase64Encoded: true,
      headers: { 'Content-Type': type },
      pathParameters: null,
      multiValueQueryStringParameters: null,
    }

    const [strict, tolerant] = await Promise.all(
      [false, true].map((orWindows1252) => readForm(event, { ...limits, orWindows1252 })),
    )

    expect([strict?.fields.a, tolerant?.fields.a]).toEqual(['Gr\ufffd\ufffde \ufffd', 'Größe €'])
  })

  it.each([
    ['white space after a delimiter', aFile.replace('--grenze', '--grenze \t') + end, type],
    ['names without quotes', part(disposition('name=file; filename=a.txt')) + end, type],
    ['a folded line in a head', part(disposition('name="file";\r\n filename="a.txt"')) + end, type],
    ['lower case in a head', part(disposition('name="file"; filename="a.txt"').toLowerCase()) + end, type],
    ['a preamble with line breaks', `\r\n\r\nVorwort\r\n${aFile}${end}`, type],
    [
      'the longest name of a file in two encodings',
      part(disposition(`name="file"; filename="${'%'.repeat(2_300)}"; filename*=utf-8''a.txt`)) + end,
      type,
    ],
    [
      'the name of a file before what looks like its delimiter',
      part(`${disposition('name="file"; filename*=utf-8\'\'a.txt')}\r\n;filename="x"--grenze`) + end,
      type,
    ],
    [
      'the name of a file on a line of its own',
      part(
        `${disposition('name="file"; filename*=utf-8\'\'a.txt')}\r\n;filename="x"\r\nContent-Type: text/plain`,
      ) + end,
      type,
    ],
    [
      'the name of a file for old readers that ends in a backslash',
      part(disposition('name="file"; filename="C:\\Akten\\"; filename*=utf-8\'\'a.txt')) + end,
      type,
    ],
  ])('with %s is read', async (_, raw, contentType) => {
    expect(await outcome(raw, contentType)).toMatchObject({ files: [['file', 'a.txt', 'Inhalt']] })
  })

  it('keeps the slashes in the name of a file', async () => {
    const raw = part(disposition('name="file"; filename="Rechnung 12345/26.txt"')) + end

    expect(await outcome(raw)).toMatchObject({ files: [['file', 'Rechnung 12345/26.txt', 'Inhalt']] })
  })

  it('keeps bytes that begin like its delimiter', async () => {
    const content = '\r\n--grenz\r\n-grenze\r\n\r\n'

    const raw = part(disposition('name="f"; filename="a"'), content) + end

    expect(await outcome(raw)).toMatchObject({ files: [['f', 'a', content]] })
  })

  it.each([
    ['a delimiter with other characters on its line', aFile.replace('--grenze', '--grenzex') + end],
    ['an empty part', `--grenze\r\n${aFile}${end}`],
    ['a head without a disposition', part('X: y') + end],
    ['a head of another disposition', part('Content-Disposition: attachment; name="a"') + end],
    ['a head that is too long', part(`${disposition('name="a"')}\r\nX: ${'x'.repeat(8_200)}`) + end],
    [
      'a field of an unknown charset',
      part(`${disposition('name="a"')}\r\nContent-Type: a/b; charset=x-9`) + end,
    ],
    ['a name of 201 characters', part(disposition(`name="${'a'.repeat(201)}"`)) + end],
    ['a line break in a name', part(disposition('name="a\nb"')) + end],
  ])('with %s is refused', async (_, raw) => {
    expect(await outcome(raw)).toBe('invalid')
  })

  it('of sixty thousand parts costs less than 60 milliseconds of CPU to refuse', async () => {
    const raw = Buffer.from(part(disposition('name="a"'), '').repeat(60_000) + end)
    const refusing = async () => {
      const before = process.cpuUsage()
      expect(await outcome(raw)).toBe('invalid')
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1_000
    }

    const milliseconds = Math.min(await refusing(), await refusing(), await refusing(), await refusing())

    expect(milliseconds).toBeLessThan(60)
  })
})

type SentPart = { name: string } & ({ filename: string; bytes: Uint8Array } | { value: string })

/** A form as browsers write it (HTML, "multipart/form-data encoding algorithm"). */
function encoded(parts: SentPart[]): Buffer {
  const written = parts.map((one) =>
    Buffer.concat([
      Buffer.from(`--grenze\r\n${disposition(`name="${one.name}"`)}`),
      Buffer.from('bytes' in one ? `; filename="${escaped(one.filename)}"\r\nContent-Type: a/b` : ''),
      Buffer.from('\r\n\r\n'),
      'bytes' in one ? one.bytes : Buffer.from(one.value),
      Buffer.from('\r\n'),
    ]),
  )
  return Buffer.concat([...written, Buffer.from(end)])
}

function escaped(filename: string): string {
  return filename.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22')
}

/** Without what a browser would not send as it is, or what the reader takes for a path. */
function withoutQuotes(name: string): string {
  return name
    .replace(/[/\\%]|\p{Control}/gu, '')
    .toWellFormed()
    .trim()
    .replace(/^\.+$/, '')
}

/** Objects put names that are whole numbers first. */
function asObjectsSort([one]: unknown[], [other]: unknown[]): number {
  return Number(other === '0') - Number(one === '0')
}
