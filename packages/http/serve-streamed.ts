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

/**
 * The handler of a Lambda behind an integration that streams: as `serve`, but an answer may be of any length,
 * and memory does not grow with it. What fails before the body begins is answered in the envelope; what fails
 * later breaks the connection off, so that nobody takes half a file for the whole.
 *
 * @throws Error where the runtime does not stream.
 */
export function serveStreamed<Services>(endpoints: Endpoints<Services>, deps: Deps<Services>) {
  const runtime = streamingRuntime()
  const answer = answerer(endpoints, deps)

  return runtime.streamifyResponse(async (event, stream, context) => {
    const { statusCode, headers, body } = await answer(event, context)
    const out = runtime.HttpResponseStream.from(stream, { statusCode, headers })
    if (typeof body === 'string') {
      out.end(body)
      return
    }
    try {
      await pipeline(Readable.from(body, { objectMode: false }), out)
    } catch (error) {
      deps.log.error('answer broken off', {
        request_id: event.requestContext.requestId,
        resource: event.resource,
        error: causes(error),
      })
      throw error
    }
  })
}

function streamingRuntime(): StreamingRuntime {
  const { awslambda } = globalThis as { awslambda?: StreamingRuntime }
  if (awslambda === undefined) throw new Error('This function runs where Lambda streams its answers.')
  return awslambda
}
