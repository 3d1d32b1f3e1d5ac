import { Readable, type Writable } from 'node:stream'
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse'
import type { APIGatewayProxyEvent, Context } from 'aws-lambda'
import type { Endpoints } from './endpoint.ts'
import { causes } from './middleware.ts'
import { type Deps, responder, withMiddleware } from './serve.ts'

type StreamingHandler = (event: APIGatewayProxyEvent, stream: Writable, context: Context) => Promise<void>

/** The global object of the managed runtime for functions that stream. */
type StreamingRuntime = { streamifyResponse: <Handler extends StreamingHandler>(handler: Handler) => Handler }

/** API Gateway closes a regional stream after five minutes without data. */
const idleLimitMilliseconds = 5 * 60_000

/**
 * The handler of a Lambda behind an integration that streams. It works like `serve`, but an answer may have any length,
 * and memory does not grow with it.
 *
 * A failure before the body begins is answered in the envelope. A later failure breaks the connection, so that nobody
 * mistakes half a file for the whole. If the reader disconnects or reads nothing for `idleMilliseconds`, the source of
 * the body is destroyed.
 *
 * @throws Error if the runtime does not stream.
 */
export function serveStreamed<Services>(
  endpoints: Endpoints<Services>,
  deps: Deps<Services>,
  idleMilliseconds = idleLimitMilliseconds,
): StreamingHandler {
  const { awslambda } = globalThis as { awslambda?: StreamingRuntime }
  if (awslambda === undefined) throw new Error('This function needs a Lambda runtime that streams answers.')
  /** The answer that is being sent for each event. Middy's middleware knows the event, but not the stream. */
  const sendings = new WeakMap<APIGatewayProxyEvent, Sending>()

  const answer = withMiddleware(deps, { executionMode: executionModeStreamifyResponse })
    .after((request) => {
      const { event, response } = request
      if (!response || typeof response.body === 'string') return
      const { body } = response
      const source = body instanceof Readable ? body : Readable.from(body, { objectMode: false })
      if (event.httpMethod === 'HEAD') {
        source.destroy()
        Object.assign(response, { body: '' })
        return
      }
      sendings.get(event)?.begin(source)
      Object.assign(response, { body: source })
    })
    .handler(responder(endpoints, deps)) as unknown as StreamingHandler

  return awslambda.streamifyResponse(async (event, stream, context) => {
    const sending = sendingTo(stream, idleMilliseconds)
    sendings.set(event, sending)
    const fields = { request_id: event.requestContext.requestId, resource: event.resource }
    try {
      await answer(event, stream, context)
    } catch (error) {
      if (sending.readerIsGone()) {
        deps.log.info('the reader disconnected', fields)
        return
      }
      deps.log.error('answer broken off', { ...fields, error: causes(error) })
      throw error
    } finally {
      sending.end()
    }
  })
}

/** A body that is being sent to a reader. */
type Sending = {
  /** Starts the idle timer: if no byte of the source passes within the idle time, both sides are destroyed. */
  begin: (source: Readable) => void
  /** Whether it ended because the reader disconnected or read nothing. */
  readerIsGone: () => boolean
  end: () => void
}

function sendingTo(out: Writable, idleMilliseconds: number): Sending {
  let source: Readable | undefined
  let timer: NodeJS.Timeout | undefined
  /** Whether the reader ended it; undefined while it continues. The side that ends first also ends the other. */
  let isEndedByReader: boolean | undefined = out.destroyed || undefined
  const judge = () => {
    const isBrokenOff = source?.destroyed && !source.readableEnded
    isEndedByReader ??= !isBrokenOff && !out.writableFinished
  }
  out.once('error', judge).once('close', judge)
  return {
    begin: (begun) => {
      source = begun
      timer = setTimeout(() => {
        isEndedByReader ??= out.writableNeedDrain
        out.destroy(new Error('Nothing passed for too long.'))
      }, idleMilliseconds)
      // While it is paused, the listener gets nothing until it is piped to the reader.
      source.pause().on('data', () => timer?.refresh())
    },
    readerIsGone: () => isEndedByReader === true,
    end: () => {
      clearTimeout(timer)
      source?.destroy()
    },
  }
}
