import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import { awsEndpoint } from '#kernel/aws-endpoint.ts'
import { functionHeader } from './emulators/function-header.ts'

const calling = new AsyncLocalStorage<string>()

/** Runs a function of this name. Its requests to S3 name it, so that the local S3 can check its rights. */
export function asFunction<Result>(name: string, run: () => Result): Result {
  return calling.run(name, run)
}

subscribe('http.client.request.created', (message) => {
  const name = calling.getStore()
  const { request } = message as { request: ClientRequest }
  // For an upload of 2 MB or more the SDK sets `Expect`, so Node has written the headers already.
  if (name === undefined || request.headersSent) return
  if (`http://${request.getHeader('host')}` === awsEndpoint('S3')) request.setHeader(functionHeader, name)
})
