import { setTimeout } from 'node:timers/promises'
import {
  type Block,
  DetectDocumentTextCommand,
  GetDocumentTextDetectionCommand,
  StartDocumentTextDetectionCommand,
  TextractClient,
  TextractServiceException,
  type Warning,
} from '@aws-sdk/client-textract'
import { StillReading } from '#documents/ports.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import type { Ocr, OcrRequest } from './ocr.ts'
import { ExtractionRefusal, type RefusalReason } from './refusal.ts'

/** The document in the bucket, for a job of Textract. */
export type StoredDocument = {
  bucket: string
  key: string
  /**
   * Identifies the bytes of the document: 1 to 54 characters of `a-z A-Z 0-9 _ -`, such as a UUID. With the same token,
   * a second attempt gets the job of the first one, running or finished, at no extra charge.
   */
  token: string
}

/** Textract's limit for a document in the request, and for every picture. */
const maxBytesInRequest = 10 * 1024 * 1024
const firstPauseMilliseconds = 500
const longestPauseMilliseconds = 5_000

/**
 * The maximum number of jobs for a document. If Textract could finish none of them, one more is started per day,
 * because a short outage may have ended all three. Textract forgets a job after seven days.
 */
const maxJobs = 3

/** The client of Textract. It makes up to eight attempts and slows down when Textract throttles it. */
export function createTextract(): TextractClient {
  return new TextractClient({ maxAttempts: 8, retryMode: 'adaptive' })
}

/**
 * Amazon Textract as the `Ocr` of one stored document. A single page of up to 10 MiB is sent in the request and read
 * synchronously. For everything else Textract starts a job that reads the document from S3, and `readPages` polls the
 * job. Textract has no page ranges: it reads and charges the whole PDF even if only one page is scanned.
 *
 * @throws from `readPages`: ExtractionRefusal for a document that Textract cannot read
 * @throws the reason of the signal if it aborts; StillReading if a job is running at that moment
 * @throws Textract's own error (throttled, unreachable, too many jobs) if another attempt can succeed
 */
export function textractOcr(client: TextractClient, document: StoredDocument): Ocr {
  return {
    readPages: (request) =>
      orRefusal(() =>
        request.pageCount === 1 && request.bytes.length <= maxBytesInRequest
          ? readSynchronously(client, request)
          : readByJob(client, document, request),
      ),
  }
}

/** The texts of the requested pages that Textract has read. */
type PageTexts = Map<number, string>

async function readSynchronously(
  client: TextractClient,
  { bytes, pages, signal }: OcrRequest,
): Promise<PageTexts> {
  const answer = await client.send(new DetectDocumentTextCommand({ Document: { Bytes: bytes } }), {
    abortSignal: signal,
  })
  return textsOf(pages, (answer.Blocks ?? []).filter(isLine))
}

async function readByJob(
  client: TextractClient,
  document: StoredDocument,
  request: OcrRequest,
): Promise<PageTexts> {
  if (request.mimeType !== 'application/pdf' && request.mimeType !== 'image/tiff') throw tooLarge()
  /** The texts from jobs that read only some of the pages. */
  const read: PageTexts = new Map()
  for (let number = 1; ; number += 1) {
    const { JobId } = await client.send(
      new StartDocumentTextDetectionCommand({
        DocumentLocation: { S3Object: { Bucket: document.bucket, Name: document.key } },
        ClientRequestToken: tokenOf(document, number),
      }),
      { abortSignal: request.signal },
    )
    try {
      return await textsOfJob(client, JobId, request)
    } catch (error) {
      if (request.signal.aborted) throw new StillReading({ cause: error })
      if (!(error instanceof Unfinished)) throw error
      for (const [page, text] of error.partial ?? []) read.set(page, text)
      const isLast = number > maxJobs || (number === maxJobs && error.partial !== undefined)
      if (read.size === request.pages.length || (isLast && read.size > 0)) return read
      if (isLast && error.partial !== undefined)
        throw new ExtractionRefusal('corrupt', notReadable, { cause: error })
      // The same token always gets the same job. If that job had ended before this attempt, the next job is started.
      if (isLast || !error.wasOver) throw error
    }
  }
}

/** The token of the first, second, … job of a document. */
function tokenOf({ token }: StoredDocument, number: number): string {
  if (number === 1) return token
  if (number <= maxJobs) return `${token}-${number}`
  return `${token}-day-${Math.floor(epochMilliseconds() / dayMilliseconds)}`
}

const dayMilliseconds = 86_400_000

/** Textract could not finish a job, or did not read some pages. Another job may succeed. */
class Unfinished extends Error {
  override name = 'Unfinished'
  /** Whether the job had already ended when it was first checked. */
  readonly wasOver: boolean
  /** The texts of the pages that were read; undefined if the whole job failed. */
  readonly partial: PageTexts | undefined

  constructor(message: string, wasOver: boolean, partial?: PageTexts) {
    super(message)
    this.wasOver = wasOver
    this.partial = partial
  }
}

/**
 * Waits for a job and returns the texts of the requested pages.
 *
 * @throws Unfinished if Textract failed, or did not read one of the requested pages
 */
async function textsOfJob(
  client: TextractClient,
  JobId: string | undefined,
  { pages, signal }: Pick<OcrRequest, 'pages' | 'signal'>,
): Promise<PageTexts> {
  const blocks: Block[] = []
  const warnings: Warning[] = []
  let pause = firstPauseMilliseconds
  let wasOver = true
  for (let nextToken: string | undefined; ; ) {
    const answer = await client.send(
      new GetDocumentTextDetectionCommand({
        JobId,
        MaxResults: 1000,
        ...(nextToken && { NextToken: nextToken }),
      }),
      { abortSignal: signal },
    )
    if (answer.JobStatus === 'IN_PROGRESS') {
      wasOver = false
      await setTimeout(pause, undefined, { signal })
      pause = Math.min(pause * 1.5, longestPauseMilliseconds)
      continue
    }
    if (answer.JobStatus === 'FAILED') throw failureOfJob(answer.StatusMessage ?? '', wasOver)
    blocks.push(...(answer.Blocks ?? []).filter(isLine))
    warnings.push(...(answer.Warnings ?? []))
    nextToken = answer.NextToken
    if (nextToken !== undefined) continue
    const unread = answer.JobStatus === 'PARTIAL_SUCCESS' ? unreadPages(warnings, pages) : []
    if (unread.length === 0) return textsOf(pages, blocks)
    const message = `Textract did not read the pages ${unread.join(', ')}.`
    const read = pages.filter((page) => !unread.includes(page))
    throw new Unfinished(message, wasOver, textsOf(read, blocks))
  }
}

/** The requested pages that a job did not read; all of them if its warnings do not name any. */
function unreadPages(warnings: Warning[], wanted: readonly number[]): readonly number[] {
  const named = warnings.flatMap(({ Pages }) => Pages ?? [])
  return named.length === 0 ? wanted : wanted.filter((page) => named.includes(page))
}

const isLine = ({ BlockType }: Block) => BlockType === 'LINE'

/** The texts of these pages. A single page has no page number in Textract's answer. */
function textsOf(pages: readonly number[], blocks: readonly Block[]): PageTexts {
  const lines = Map.groupBy(blocks, ({ Page = 1 }) => Page)
  return new Map(pages.map((page) => [page, (lines.get(page) ?? []).map(({ Text = '' }) => Text).join('\n')]))
}

/** The errors of Textract that the document causes. After any other error another attempt can succeed. */
const refusals: Record<string, RefusalReason> = {
  BadDocumentException: 'corrupt',
  UnsupportedDocumentException: 'corrupt',
  DocumentTooLargeException: 'too_large',
}

async function orRefusal<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const reason = error instanceof TextractServiceException ? refusals[error.name] : undefined
    if (reason === undefined) throw error
    throw new ExtractionRefusal(reason, notReadable, { cause: error })
  }
}

const notReadable = 'OCR could not read the document.'

/** The error for a failed job. The codes in its status message are not documented. */
function failureOfJob(statusMessage: string, wasOver: boolean): Error {
  if (statusMessage === '' || /INTERNAL|THROTTL|LIMIT_EXCEEDED/i.test(statusMessage)) {
    const message = `Textract could not finish: ${statusMessage || 'no reason given'}.`
    return new Unfinished(message, wasOver)
  }
  return new ExtractionRefusal(/TOO_?LARGE/i.test(statusMessage) ? 'too_large' : 'corrupt', notReadable)
}

function tooLarge(): ExtractionRefusal {
  return new ExtractionRefusal('too_large', 'The picture is larger than the 10 MiB that OCR can read.')
}
