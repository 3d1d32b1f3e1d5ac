import type { Context } from 'aws-lambda'
import { inTime } from '#kernel/in-time.ts'
import { localAccount, localRegion } from './aws-place.ts'
import { asFunction } from './calling-function.ts'
import type { LocalFunction } from './load-functions.ts'
import type { ResponseStream } from './response-stream.ts'

/** The function did not answer within its time limit. */
export class TimedOut extends Error {}

/**
 * Calls a function as Lambda does, in this process.
 *
 * @throws TimedOut after its `timeoutSeconds`, or `maxSeconds` if that is sooner, unless it limits itself. Lambda freezes
 *   a function after its time limit. Here it continues to run, and its result is ignored.
 * @throws errors of the function
 */
export async function invoke(
  fn: LocalFunction,
  event: unknown,
  requestId: string,
  maxSeconds = Number.POSITIVE_INFINITY,
  stream?: ResponseStream,
): Promise<unknown> {
  const answer = asFunction(fn.name, () => callHandler(fn, event, requestId, stream))
  if (fn.limitsItself) return answer
  const milliseconds = Math.min(fn.timeoutSeconds, maxSeconds) * 1_000
  return inTime(milliseconds, answer, () => {
    throw new TimedOut(`${fn.name} did not answer within ${milliseconds} ms`)
  })
}

/** Calls a handler. One that throws before it returns a promise fails like one that rejects. */
async function callHandler(
  fn: LocalFunction,
  event: unknown,
  requestId: string,
  stream: ResponseStream | undefined,
): Promise<unknown> {
  const context = contextOf(fn, requestId)
  if (stream !== undefined && fn.stream !== undefined) return fn.stream(event, stream, context)
  return fn.handler(event, context)
}

function contextOf(fn: LocalFunction, awsRequestId: string): Context {
  const deadline = performance.now() + fn.timeoutSeconds * 1_000
  return {
    awsRequestId,
    functionName: fn.name,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:${localRegion()}:${localAccount}:function:${fn.name}`,
    logGroupName: `/aws/lambda/${fn.name}`,
    logStreamName: 'local',
    memoryLimitInMB: String(fn.memoryMegabytes),
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, Math.round(deadline - performance.now())),
    done: noCallbacks,
    fail: noCallbacks,
    succeed: noCallbacks,
  }
}

/** Node 24 on Lambda supports only promises. */
function noCallbacks(): never {
  throw new Error('The runtime has no callbacks: return a promise.')
}
