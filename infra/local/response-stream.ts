import { PassThrough } from 'node:stream'

/** The head of a streamed answer. */
export type StreamedHead = { statusCode: number; headers?: Record<string, string> }

/** What a function that streams writes its answer to; `head` resolves when it has said how that begins. */
export class ResponseStream extends PassThrough {
  readonly head: Promise<StreamedHead>
  readonly begin: (head: StreamedHead) => void

  constructor() {
    super()
    const { promise, resolve } = Promise.withResolvers<StreamedHead>()
    this.head = promise
    this.begin = resolve
    // It may be destroyed with a reason before anybody reads it; whoever reads it sees it end too early.
    this.on('error', () => {})
  }
}

const streaming = Symbol('streams its answers')

/** Gives functions the global that Lambda's runtime has for those that stream. Call it before they are loaded. */
export function installStreaming(): void {
  Object.assign(globalThis, {
    awslambda: {
      streamifyResponse: <Handler extends object>(handler: Handler) =>
        Object.assign(handler, { [streaming]: true }),
      HttpResponseStream: {
        from: (stream: ResponseStream, head: StreamedHead) => {
          stream.begin(head)
          return stream
        },
      },
    },
  })
}

/** Whether a handler is to be called with a stream. */
export function streamsAnswers(handler: object): boolean {
  return streaming in handler
}
