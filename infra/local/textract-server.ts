import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { picturesOf } from './page-pictures.ts'
import { createReader, type PageLine, type Reader } from './page-reader.ts'

/**
 * Serves the Textract of this machine inside the thread that `textract.ts` starts, and tells that thread's
 * parent where.
 */
const { port, s3Endpoint } = workerData as { port: number; s3Endpoint: string | undefined }
const reader = createReader()
const jobs = createJobs(reader, s3Endpoint)
const server = createServer((request, response) => {
  answer(request, response, { reader, jobs }).catch((error: unknown) => sendError(response, error))
})
server.on('error', (error) => {
  throw error
})
server.listen(port, '127.0.0.1', () => {
  parentPort?.postMessage(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})

type Door = { reader: Reader; jobs: Jobs }

/** The document of a request: its bytes, or where S3 has them. */
type DocumentInput = { Bytes?: string; S3Object?: { Bucket: string; Name: string } }

type RequestBody = {
  Document?: DocumentInput
  DocumentLocation?: DocumentInput
  ClientRequestToken?: string
  JobId?: string
  MaxResults?: number
  NextToken?: string
}

type Operation = (body: RequestBody, door: Door) => Promise<object>

const operations: Record<string, Operation> = {
  DetectDocumentText: async (body, { reader, jobs }) => {
    const bytes = await jobs.fetch(body.Document)
    if (bytes.length > 10 * 1024 * 1024)
      throw new ServiceError('DocumentTooLargeException', 'More than 10 MB.')
    const blocks = await read(reader, bytes, 1)
    return {
      DocumentMetadata: { Pages: 1 },
      Blocks: blocks.map(({ Page, ...block }) => block),
      DetectDocumentTextModelVersion: '1.0',
    }
  },
  StartDocumentTextDetection: async (body, { jobs }) => ({ JobId: await jobs.start(body) }),
  GetDocumentTextDetection: async (body, { jobs }) => jobs.get(body),
}

async function answer(request: IncomingMessage, response: ServerResponse, door: Door): Promise<void> {
  const name = String(request.headers['x-amz-target'] ?? '').replace('Textract.', '')
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined
  if (operation === undefined)
    throw new ServiceError('UnknownOperationException', `There is no operation ${name}.`)
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as RequestBody
  send(response, 200, await operation(body, door))
}

type Block = {
  BlockType: 'PAGE' | 'LINE'
  Id: string
  Page: number
  Text?: string
  Confidence?: number
  Geometry?: { BoundingBox: PageLine['box'] }
  Relationships?: { Type: 'CHILD'; Ids: string[] }[]
}

/** Reads pages in their order; more than `mostPages` of them is what the original refuses. */
async function read(reader: Reader, bytes: Buffer, mostPages: number): Promise<Block[]> {
  try {
    return await readPages(reader, bytes, mostPages)
  } catch (error) {
    throw unsupported(`The document could not be read: ${String(error)}`)
  }
}

/** Throws whatever the libraries throw over a document. */
async function readPages(reader: Reader, bytes: Buffer, mostPages: number): Promise<Block[]> {
  const blocks: Block[] = []
  let page = 0
  for await (const picture of picturesOf(bytes)) {
    page += 1
    if (page > mostPages) throw new Error(`It has more than ${mostPages} pages.`)
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

type Jobs = ReturnType<typeof createJobs>

function createJobs(reader: Reader, s3Endpoint: string | undefined) {
  const jobs = new Map<string, Job>()
  const idByToken = new Map<string, string>()
  let queue = Promise.resolve()
  const s3 = new S3Client({
    forcePathStyle: true,
    region: process.env.AWS_REGION ?? 'eu-central-1',
    ...(s3Endpoint && { endpoint: s3Endpoint }),
  })

  const fetch = async (input: DocumentInput | undefined): Promise<Buffer> => {
    if (input?.Bytes !== undefined) return Buffer.from(input.Bytes, 'base64')
    if (input?.S3Object === undefined)
      throw new ServiceError('InvalidParameterException', 'Bytes or S3Object is needed.')
    const { Bucket, Name } = input.S3Object
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
      jobs.set(id, { status: 'SUCCEEDED', blocks: await read(reader, bytes, 3_000) })
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
      const id = createHash('sha256')
        .update(ClientRequestToken ?? randomUUID())
        .digest('hex')
      const location =
        DocumentLocation?.S3Object === undefined ? undefined : { S3Object: DocumentLocation.S3Object }
      const bytes = await fetch(location)
      if (ClientRequestToken !== undefined) idByToken.set(ClientRequestToken, id)
      jobs.set(id, { status: 'IN_PROGRESS' })
      queue = queue.then(() => run(id, bytes))
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

class ServiceError extends Error {
  readonly type: string

  constructor(type: string, message: string) {
    super(message)
    this.type = type
  }
}

function unsupported(message: string): ServiceError {
  return new ServiceError('UnsupportedDocumentException', message)
}

function sendError(response: ServerResponse, error: unknown): void {
  const isOurs = error instanceof ServiceError
  send(response, isOurs ? 400 : 500, {
    __type: isOurs ? error.type : 'InternalServerError',
    message: error instanceof Error ? error.message : String(error),
  })
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    'Content-Type': 'application/x-amz-json-1.1',
    'x-amzn-RequestId': randomUUID(),
  })
  response.end(JSON.stringify(body))
}
