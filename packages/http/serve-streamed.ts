import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { APIGatewayProxyEvent, Context } from 'aws-lambda'
import type { Endpoints } from './endpoint.ts'
import { answerer, causes, type Deps } from './serve.ts'

type StreamingHandler = (event: APIGatewayProxyEvent, stream: Writable, context: Context) => Promise<void>

/** What the managed runtime puts into the global scope for functions that stream (facts A2). */
type StreamingRuntime = {
  streamifyResponse: (handler: StreamingHandler) => (...invocation: never[]) => Promise<unknown>
  HttpResponseStream: {
    from: (stream: Writable, head: { statusCode: number; headers: Record<string, string> }) => Writable
  }
}

/** API Gateway closes a regional stream of which nothing passes for five minutes (facts A2). */
const idleLimitMilliseconds = 5 * 60_000

/**
 * The handler of a Lambda behind an integration that streams: as `serve`, but an answer may be of any length,
 * and memory does not grow with it. What fails before the body begins is answered in the envelope; what fails
 * later breaks the connection off, so that nobody takes half a file for the whole. When the reader goes away or
 * takes nothing for `idleMilliseconds`, the source of the body is destroyed.
 *
 * @throws Error where the runtime does not stream.
 */
export function serveStreamed<Services>(
  endpoints: Endpoints<Services>,
  deps: Deps<Services>,
  idleMilliseconds = idleLimitMilliseconds,
) {
  const runtime = streamingRuntime()
  const answer = answerer(endpoints, deps)

  return runtime.streamifyResponse(async (event, stream, context) => {
    const { statusCode, headers, body } = await answer(event, context)
    const out = runtime.HttpResponseStream.from(stream, { statusCode, headers })
    if (typeof body === 'string') {
      out.end(body)
      return
    }
    // Wrapped in another stream, a source that was not read from yet would stay open when the reader is gone.
    const source = body instanceof Readable ? body : Readable.from(body, { objectMode: false })
    const outcome = await writeAll(source, out, idleMilliseconds)
    if (outcome === 'written') return
    const fields = { request_id: event.requestContext.requestId, resource: event.resource }
    if (outcome === 'reader gone') {
      deps.log.info('the reader went away', fields)
      return
    }
    deps.log.error('answer broken off', { ...fields, error: causes(outcome.failed) })
    throw outcome.failed
  })
}

type Outcome = 'written' | 'reader gone' | { failed: unknown }

/** Writes everything, or destroys both sides: when one of them ends early, or nothing passes for too long. */
async function writeAll(source: Readable, out: Writable, idleMilliseconds: number): Promise<Outcome> {
  if (out.destroyed) {
    source.destroy()
    return 'reader gone'
  }
  const idle = new AbortController()
  let isGone = false
  const timer = setTimeout(() => {
    isGone = out.writableNeedDrain
    idle.abort()
  }, idleMilliseconds)
  out.once('close', () => {
    isGone ||= !source.destroyed
  })
  try {
    const written = pipeline(source, out, { signal: idle.signal })
    source.on('data', () => timer.refresh())
    await written
    return 'written'
  } catch (error) {
    return isGone ? 'reader gone' : { failed: error }
  } finally {
    clearTimeout(timer)
  }
}

function streamingRuntime(): StreamingRuntime {
  const { awslambda } = globalThis as { awslambda?: StreamingRuntime }
  if (awslambda === undefined) throw new Error('This function runs where Lambda streams its answers.')
  return awslambda
}
