import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  DetectDocumentTextCommand,
  GetDocumentTextDetectionCommand,
  type GetDocumentTextDetectionCommandOutput,
  type JobStatus,
  LimitExceededException,
  StartDocumentTextDetectionCommand,
  TextractClient,
  UnsupportedDocumentException,
} from '@aws-sdk/client-textract'
import { mockClient } from 'aws-sdk-client-mock'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StillReading } from '#documents/ports.ts'
import { extract } from '#extraction/extract.ts'
import { textractOcr } from '#extraction/textract.ts'
import { type ServiceThread, startThread } from '#infra/local/emulators/thread.ts'
import { clockOffsetVariable } from '#kernel/clock.ts'
import { corpus, corpusFile, missingWords } from '#test/support/corpus.ts'

const credentials = { accessKeyId: 'local', secretAccessKey: 'of this run' }
const options = { region: 'eu-central-1', credentials }
const signal = new AbortController().signal
const stored = (key: string) => ({ bucket: 'documents', key, token: key.replaceAll('.', '-') })

describe('the local Textract', () => {
  let bucket: Server
  let textract: ServiceThread
  let client: TextractClient

  beforeAll(async () => {
    bucket = createServer((request, response) => {
      response.end(corpusFile(String(request.url).replace(/^\/documents\/|\?.*$/g, '')))
    })
    await new Promise<void>((resolve) => bucket.listen(0, '127.0.0.1', resolve))
    textract = await startThread({
      name: 'Textract',
      module: new URL('../../infra/local/emulators/textract.ts', import.meta.url),
      workerData: { credentials, s3Endpoint: `http://127.0.0.1:${(bucket.address() as AddressInfo).port}` },
    })
    client = new TextractClient({ ...options, endpoint: textract.endpoint, maxAttempts: 1 })
  })

  afterAll(async () => {
    client.destroy()
    await textract.stop()
    bucket.close()
  })

  const scanned = Object.entries(corpus.files).filter(([, file]) => file.scanned_pages.length > 0)

  test.each(scanned)('%s gives every word of its source', async (name, file) => {
    const result = await extract(corpusFile(name), file.mime_type, { ocr: textractOcr(client, stored(name)) })

    if ('refused' in result) throw new Error(result.message)
    expect(missingWords(result.text, file.text)).toEqual([])
    expect(result.page_count).toBe(file.page_count)
    expect(result.text).toMatch(/§ 178 ZPO/)
  })

  test('refuses a synchronous request of several pages, as AWS does', async () => {
    const request = new DetectDocumentTextCommand({ Document: { Bytes: corpusFile('zwei-seiten.tif') } })

    await expect(client.send(request)).rejects.toBeInstanceOf(UnsupportedDocumentException)
  })

  test('refuses a damaged picture and keeps running', async () => {
    const damaged = corpusFile('scan.png').slice(0, 2_000)

    const result = await extract(damaged, 'image/png', { ocr: textractOcr(client, stored('scan.png')) })

    expect(result).toMatchObject({ refused: 'corrupt' })
    await expect(client.send(new GetDocumentTextDetectionCommand({ JobId: 'none' }))).rejects.toThrow(
      'invalid Job Id',
    )
  })

  test('returns the same job for the same token', async () => {
    const start = () =>
      client.send(
        new StartDocumentTextDetectionCommand({
          DocumentLocation: { S3Object: { Bucket: 'documents', Name: 'zwei-seiten.tif' } },
          ClientRequestToken: 'once',
        }),
      )

    expect((await start()).JobId).toBe((await start()).JobId)
  })
})

describe('the adapter', () => {
  const request = {
    bytes: new Uint8Array(10),
    mimeType: 'application/pdf',
    pageCount: 3,
    pages: [2, 3],
    signal,
  } as const

  test('reads all pages of a long answer and returns the requested pages', async () => {
    const textract = mockClient(TextractClient)
    const line = (Page: number, Text: string) => ({ BlockType: 'LINE' as const, Page, Text })
    textract.on(StartDocumentTextDetectionCommand).resolves({ JobId: 'job' })
    textract
      .on(GetDocumentTextDetectionCommand)
      .resolvesOnce({ JobStatus: 'IN_PROGRESS' })
      .resolvesOnce({ JobStatus: 'SUCCEEDED', Blocks: [line(1, 'eins'), line(2, 'zwei')], NextToken: 'more' })
      .resolves({ JobStatus: 'SUCCEEDED', Blocks: [line(2, 'noch zwei')] })

    const pages = await textractOcr(new TextractClient(options), stored('a')).readPages(request)

    expect(pages).toEqual(
      new Map([
        [2, 'zwei\nnoch zwei'],
        [3, ''],
      ]),
    )
    textract.restore()
  })

  test('uses the same token for a second attempt, so that it costs nothing', async () => {
    const textract = mockClient(TextractClient)
    textract.on(StartDocumentTextDetectionCommand).resolves({ JobId: 'job' })
    textract.on(GetDocumentTextDetectionCommand).resolves({ JobStatus: 'SUCCEEDED', Blocks: [] })
    const ocr = textractOcr(new TextractClient(options), stored('a'))

    await ocr.readPages(request)
    await ocr.readPages(request)

    const tokens = textract
      .commandCalls(StartDocumentTextDetectionCommand)
      .map((call) => call.args[0].input.ClientRequestToken)
    expect(tokens).toEqual(['a', 'a'])
    textract.restore()
  })

  test('refuses an unreadable document, and throws if another attempt can succeed', async () => {
    const textract = mockClient(TextractClient)
    const ocr = textractOcr(new TextractClient(options), stored('a'))
    const busy = new LimitExceededException({ message: 'too many jobs', $metadata: {} })
    textract.on(StartDocumentTextDetectionCommand).rejectsOnce(busy).resolves({ JobId: 'job' })
    textract
      .on(GetDocumentTextDetectionCommand)
      .resolvesOnce({ JobStatus: 'FAILED', StatusMessage: 'INVALID_IMAGE_TYPE' })
      .resolves({ JobStatus: 'FAILED', StatusMessage: 'INTERNAL_ERROR' })

    await expect(ocr.readPages(request)).rejects.toBe(busy)
    await expect(ocr.readPages(request)).rejects.toMatchObject({ reason: 'corrupt' })
    await expect(ocr.readPages(request)).rejects.toThrow('INTERNAL_ERROR')
    textract.restore()
  })

  /** Textract with a job for each token. A job returns its answers one after the other, then always the last one. */
  const textractWith = (...jobs: GetDocumentTextDetectionCommandOutput[][]) => {
    const textract = mockClient(TextractClient)
    const tokens: string[] = []
    textract.on(StartDocumentTextDetectionCommand).callsFake(({ ClientRequestToken: token }) => {
      if (!tokens.includes(token)) tokens.push(token)
      return { JobId: token }
    })
    textract.on(GetDocumentTextDetectionCommand).callsFake(({ JobId }) => {
      const answers = jobs[tokens.indexOf(JobId)] ?? []
      return answers.length > 1 ? answers.shift() : answers[0]
    })
    const ocr = textractOcr(new TextractClient(options), stored('a'))
    return { ocr, tokens, restore: () => textract.restore() }
  }
  const answer = (JobStatus: JobStatus, more: Partial<GetDocumentTextDetectionCommandOutput> = {}) => ({
    $metadata: {},
    JobStatus,
    ...more,
  })
  const failed = answer('FAILED', { StatusMessage: 'INTERNAL_ERROR' })
  const succeeded = answer('SUCCEEDED', { Blocks: [{ BlockType: 'LINE', Page: 2, Text: 'zwei' }] })

  test('starts another job if Textract could not finish the earlier one', async () => {
    const { ocr, tokens, restore } = textractWith([answer('IN_PROGRESS'), failed], [succeeded])

    await expect(ocr.readPages(request)).rejects.toThrow('INTERNAL_ERROR')
    const afterFirst = [...tokens]
    const pages = await ocr.readPages(request)

    expect([afterFirst, tokens]).toEqual([['a'], ['a', 'a-2']])
    expect(pages.get(2)).toBe('zwei')
    restore()
  })

  test('starts one more job per day after three that Textract could not finish', async () => {
    const { ocr, tokens, restore } = textractWith([failed], [failed], [failed], [failed], [succeeded])

    await expect(ocr.readPages(request)).rejects.toThrow('INTERNAL_ERROR')
    await expect(ocr.readPages(request)).rejects.toThrow('INTERNAL_ERROR')
    const onFirstDay = tokens.length
    process.env[clockOffsetVariable] = String(86_400_000)
    const pages = await ocr.readPages(request).finally(() => delete process.env[clockOffsetVariable])

    expect([onFirstDay, tokens.length]).toEqual([4, 5])
    expect(pages.get(2)).toBe('zwei')
    restore()
  })

  test.each<[string, number[] | 'corrupt', number[] | undefined]>([
    ['a requested page', [2], [3]],
    ['all requested pages', 'corrupt', [2, 3]],
    ['a page that it does not name', 'corrupt', undefined],
    ['another page', [2, 3], [1]],
  ])('if every job leaves out %s, the result is %j', async (_, is, Pages) => {
    const partial = answer('PARTIAL_SUCCESS', {
      Blocks: succeeded.Blocks,
      Warnings: [{ ErrorCode: 'PAGE_NOT_READ', ...(Pages && { Pages }) }],
    })
    // Only the first of several answers may have the warnings.
    const job = () => [{ ...partial, NextToken: 'next' }, answer('PARTIAL_SUCCESS')]
    const { ocr, restore } = textractWith(job(), job(), job())

    const outcome = await ocr.readPages(request).then(
      (pages) => [...pages.keys()],
      (error: { reason?: string }) => error.reason,
    )

    expect(outcome).toEqual(is)
    restore()
  })

  test.each<[string, number[][], Record<number, string>]>([
    ['each leave out another page, all pages have a text', [[2], [3]], { 2: 'job 2', 3: 'job 1' }],
    [
      'the last leaves out a page that the first has read, the page has its text',
      [[3], [2, 3], [2, 3]],
      { 2: 'job 1' },
    ],
  ])('if several jobs %s', async (_, unread, is) => {
    const jobs = unread.map((Pages, at) => [
      answer('PARTIAL_SUCCESS', {
        Blocks: [2, 3].map((Page) => ({ BlockType: 'LINE', Page, Text: `job ${at + 1}` })),
        Warnings: [{ ErrorCode: 'PAGE_NOT_READ', Pages }],
      }),
    ])
    const { ocr, restore } = textractWith(...jobs)

    expect(Object.fromEntries(await ocr.readPages(request))).toEqual(is)
    restore()
  })

  test('refuses a too large picture without a request', async () => {
    const picture = {
      ...request,
      bytes: new Uint8Array(10 * 1024 * 1024 + 1),
      mimeType: 'image/png',
      pageCount: 1,
      pages: [1],
    } as const

    await expect(
      textractOcr(new TextractClient(options), stored('a')).readPages(picture),
    ).rejects.toMatchObject({
      reason: 'too_large',
    })
  })

  test('stops waiting for a running job when the signal aborts', async () => {
    const textract = mockClient(TextractClient)
    textract.on(StartDocumentTextDetectionCommand).resolves({ JobId: 'job' })
    const ending = new AbortController()
    textract.on(GetDocumentTextDetectionCommand).callsFake(async () => {
      setTimeout(() => ending.abort(), 100)
      return { JobStatus: 'IN_PROGRESS' }
    })

    const reading = extract(corpusFile('gemischt.pdf'), 'application/pdf', {
      ocr: textractOcr(new TextractClient(options), stored('a')),
      signal: ending.signal,
    })

    await expect(reading).rejects.toThrow(StillReading)
    textract.restore()
  })
})
