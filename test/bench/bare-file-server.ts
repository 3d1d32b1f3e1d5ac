import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'

/**
 * A server without our layers that keeps files in S3: POST stores the body, GET streams the object of the path. It sends
 * its address to its parent process and ends with it.
 */
process.once('disconnect', () => process.exit(0))

const client = new S3Client({
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
})
const Bucket = process.env.BUCKET_NAME
let stored = 0

const server = createServer(async (request, response) => {
  try {
    if (request.method === 'POST') {
      stored += 1
      const Key = `bare/${stored}`
      await client.send(new PutObjectCommand({ Bucket, Key, Body: await buffer(request) }))
      response.writeHead(201).end(Key)
      return
    }
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: request.url?.slice(1) }))
    response.writeHead(200)
    await pipeline(Body as Readable, response)
  } catch (error) {
    response.writeHead(500).end(String(error))
  }
})
server.keepAliveTimeout = 65_000
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
if (typeof address === 'object') process.send?.({ baseUrl: `http://127.0.0.1:${address?.port}` })
