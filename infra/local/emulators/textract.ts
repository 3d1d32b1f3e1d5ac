import { randomUUID } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import type { S3Client } from '@aws-sdk/client-s3'
import { hexDigest } from '#kernel/hex-digest.ts'
import { localRegion } from '../aws-place.ts'
import { collectWhenIdle } from '../collect-when-idle.ts'
import { picturesOf } from '../page-pictures.ts'
import { createReader, NoReader, type PageLine, type PagePicture } from '../page-reader.ts'
import type { Credentials } from './signature.ts'
import { type Call, ServiceError, serveSigned } from './signed-server.ts'

/**
 * The local Textract: `DetectDocumentText`, `StartDocumentTextDetection` and `GetDocumentTextDetection`, with
 * tesseract, its German data and no network. It runs in the thread that `thread.ts` starts. Pages are drawn in another
 * thread, with limits of time and memory.
 *
 * An answer has a `PAGE` block for each page and its `LINE` blocks, without words. Like AWS it accepts a single page in
 * the request, and more pages as a job from S3. It has the same errors, and returns the same job for the same
 * `ClientRequestToken`. Jobs are kept in memory until an hour after their end, and run one after the other. The S3
 * library is loaded with the first document, since it takes longer to load than the rest and many runs read no
 * document.
 */
const { port, credentials, s3Endpoint } = workerData as {
  port: number
  credentials: Credentials
  s3Endpoint: string
}
const reader = createReader()
const jobs = createJobs()

/** The document of a request: its bytes, or their place in S3. */
type DocumentInput = { Bytes?: string; S3Object?: { Bucket: string; Name: string } }

type RequestBody = {
  Document?: DocumentInput
  DocumentLocation?: Pick<DocumentInput, 'S3Object'>
  ClientRequestToken?: string
  JobId?: string
  MaxResults?: number
  NextToken?: string
}

const maxDocumentBytes = 10 * 1024 * 1024

const operations: Record<string, (body: RequestBody) => Promise<object>> = {
  DetectDocumentText: async (body) => {
    const bytes = await jobs.fetch(body.Document)
    if (bytes.length > maxDocumentBytes)
      throw new ServiceError('DocumentTooLargeException', 'More than 10 MB.')
    const blocks = await read(bytes, 1)
    return {
      DocumentMetadata: { Pages: 1 },
      Blocks: blocks.map(({ Page, ...block }) => block),
      DetectDocumentTextModelVersion: '1.0',
    }
  },
  StartDocumentTextDetection: async (body) => ({ JobId: await jobs.start(body) }),
  GetDocumentTextDetection: async (body) => jobs.get(body),
}

const { endpoint } = await serveSigned(
  { service: 'textract', credentials, port, maxBytes: 1.5 * maxDocumentBytes },
  async ({ operation, body }: Call) => {
    const run = Object.hasOwn(operations, operation) ? operations[operation] : undefined
    if (run === undefined)
      throw new ServiceError('UnknownOperationException', `There is no operation ${operation}.`)
    return { status: 200, body: JSON.stringify(await run(JSON.parse(body.toString('utf8')))) }
  },
)
collectWhenIdle()
parentPort?.postMessage(endpoint)

type Block = {
  BlockType: 'PAGE' | 'LINE'
  Id: string
  Page: number
  Text?: string
  Confidence?: number
  Geometry?: { BoundingBox: PageLine['box'] }
  Relationships?: { Type: 'CHILD'; Ids: string[] }[]
}

/**
 * Reads pages in their order.
 *
 * @throws ServiceError as AWS does, for a document that cannot be read or has more than `maxPages` pages; other
 * errors are faults of this service
 */
async function read(bytes: Buffer, maxPages: number): Promise<Block[]> {
  try {
    return await readPages(picturesOf(bytes), maxPages)
  } catch (error) {
    if (error instanceof NoReader) throw error
    throw new ServiceError('UnsupportedDocumentException', `The document could not be read: ${String(error)}`)
  }
}

/** Reads pages. @throws errors of the libraries */
async function readPages(pictures: AsyncIterable<PagePicture>, maxPages: number): Promise<Block[]> {
  const blocks: Block[] = []
  let page = 0
  for await (const picture of pictures) {
    page += 1
    if (page > maxPages) throw new Error(`It has more than ${maxPages} pages.`)
    const lines = (await reader.read(picture)).map((line) => lineBlock(line, page))
    const Ids = lines.map(({ Id }) => Id)
    blocks.push(
      { BlockType: 'PAGE', Id: randomUUID(), Page: page, Relationships: [{ Type: 'CHILD', Ids }] },
      ...lines,
    )
  }
  return blocks
}

function lineBlock({ text, confidence, box }: PageLine, page: number): Block {
  return {
    BlockType: 'LINE',
    Id: randomUUID(),
    Page: page,
    Text: text,
    Confidence: confidence,
    Geometry: { BoundingBox: box },
  }
}

type Job =
  | { status: 'IN_PROGRESS' }
  | { status: 'SUCCEEDED'; blocks: Block[] }
  | { status: 'FAILED'; message: string }

/** AWS keeps a result for a week. Here the caller that started the job asks for it every few seconds. */
const keptMilliseconds = 3_600_000

function createJobs() {
  const jobs = new Map<string, Job>()
  const idByToken = new Map<string, string>()
  let queue = Promise.resolve()
  let s3: S3Client | undefined

  const fetch = async (input: DocumentInput | undefined): Promise<Buffer> => {
    if (input?.Bytes !== undefined) return Buffer.from(input.Bytes, 'base64')
    if (input?.S3Object === undefined)
      throw new ServiceError('InvalidParameterException', 'Bytes or S3Object is needed.')
    const { Bucket, Name } = input.S3Object
    const { GetObjectCommand, S3Client } = await import('@aws-sdk/client-s3')
    s3 ??= new S3Client({
      forcePathStyle: true,
      region: localRegion(),
      endpoint: s3Endpoint,
      credentials,
    })
    try {
      const object = await s3.send(new GetObjectCommand({ Bucket, Key: Name }))
      return Buffer.from((await object.Body?.transformToByteArray()) ?? [])
    } catch (error) {
      throw new ServiceError(
        'InvalidS3ObjectException',
        `Unable to get object metadata from S3: ${String(error)}`,
      )
    }
  }

  const run = async (id: string, bytes: Buffer): Promise<void> => {
    try {
      jobs.set(id, { status: 'SUCCEEDED', blocks: await read(bytes, 3_000) })
    } catch (error) {
      jobs.set(id, {
        status: 'FAILED',
        message: error instanceof ServiceError ? 'INVALID_IMAGE_TYPE' : `INTERNAL_ERROR ${String(error)}`,
      })
    }
  }

  return {
    fetch,
    start: async ({ DocumentLocation, ClientRequestToken }: RequestBody): Promise<string> => {
      const known = ClientRequestToken === undefined ? undefined : idByToken.get(ClientRequestToken)
      if (known !== undefined) return known
      const id = hexDigest(ClientRequestToken ?? randomUUID())
      const bytes = await fetch(DocumentLocation)
      if (ClientRequestToken !== undefined) idByToken.set(ClientRequestToken, id)
      jobs.set(id, { status: 'IN_PROGRESS' })
      const forget = () => {
        jobs.delete(id)
        if (ClientRequestToken !== undefined) idByToken.delete(ClientRequestToken)
      }
      queue = queue
        .then(() => run(id, bytes))
        .then(() => {
          setTimeout(forget, keptMilliseconds).unref()
        })
      return id
    },
    get: ({ JobId = '', MaxResults = 1000, NextToken = '0' }: RequestBody): object => {
      const job = jobs.get(JobId)
      if (job === undefined) throw new ServiceError('InvalidJobIdException', 'Request has invalid Job Id.')
      if (job.status === 'IN_PROGRESS') return { JobStatus: job.status }
      if (job.status === 'FAILED') return { JobStatus: job.status, StatusMessage: job.message }
      const start = Number(NextToken)
      const end = start + Math.min(MaxResults, 1000)
      return {
        JobStatus: job.status,
        DocumentMetadata: { Pages: job.blocks.filter(({ BlockType }) => BlockType === 'PAGE').length },
        Blocks: job.blocks.slice(start, end),
        ...(end < job.blocks.length && { NextToken: String(end) }),
      }
    },
  }
}
