import { PassThrough } from 'node:stream'

/** The head of a streamed answer. */
type StreamedHead = { statusCode: number; headers?: Record<string, string> }

/** The stream to which a function writes its answer. `head` resolves when the function has set status and headers. */
export class ResponseStream extends PassThrough {
  readonly head: Promise<StreamedHead>
  readonly begin: (head: StreamedHead) => void

  constructor() {
    super()
    const { promise, resolve } = Promise.withResolvers<StreamedHead>()
    this.head = promise
    this.begin = resolve
    // It may be destroyed with an error before anything reads it. A reader sees that it ends too early.
    this.on('error', () => {})
  }
}

const streaming = Symbol('streams its answers')

/** Defines the global of Lambda's runtime for streaming functions. Call it before functions are loaded. */
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

/** Whether a handler expects a stream. */
export function streamsAnswers(handler: object): boolean {
  return streaming in handler
}
