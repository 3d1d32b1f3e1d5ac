import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import type { LocalFunction } from '#infra/local/load-functions.ts'

/** A function for a test: the paths that it serves, and its handler. */
export function localFunction(
  paths: readonly `/${string}`[],
  handler: (event: APIGatewayProxyEvent, context: Context) => unknown,
  changes: Partial<LocalFunction> = {},
): LocalFunction {
  return {
    name: 'toy',
    paths: [...new Set(paths)],
    needsNothing: false,
    everyMinutes: undefined,
    consumes: undefined,
    stream: undefined,
    timeoutSeconds: 10,
    memoryMegabytes: 128,
    handler: async (event, context) => handler(event as APIGatewayProxyEvent, context),
    ...changes,
  }
}

/** An answer of a function with this JSON in it. */
export function json(value: unknown, changes: Partial<APIGatewayProxyResult> = {}): APIGatewayProxyResult {
  return {
    statusCode: 200,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(value),
    ...changes,
  }
}
