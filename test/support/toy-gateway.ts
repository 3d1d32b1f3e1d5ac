import { buffered, type Endpoints, streamed } from '#http/endpoint.ts'
import { readForm } from '#http/form.ts'
import { serve } from '#http/serve.ts'
import { serveStreamed } from '#http/serve-streamed.ts'
import { openGateway } from '#infra/local/gateway.ts'
import { installStreaming } from '#infra/local/response-stream.ts'
import { localFunction } from './local-function.ts'

/** A line that a toy function logged. */
export type LogLine = { level: 'info' | 'error'; message: string; [field: string]: unknown }

/** Endpoints made up for a test, behind a gateway of their own. */
export type ToyGateway = { baseUrl: string; log: LogLine[]; close: () => Promise<void> }

/** Serves these endpoints as functions of the service are served, those that stream by a function of their own. */
export async function serveToys<Services>(
  endpoints: Endpoints<Services>,
  services: Services,
  timeoutSeconds = 10,
): Promise<ToyGateway> {
  installStreaming()
  const log: LogLine[] = []
  const note = (level: LogLine['level']) => (message: string, fields: Record<string, unknown>) =>
    void log.push({ level, message, ...fields })
  const deps = {
    services,
    authenticate: () => Promise.reject(new Error('No toy takes an API key.')),
    log: { info: note('info'), error: note('error') },
    readForm,
  }
  const pathsOf = (group: Endpoints<Services>) => Object.values(group).map(({ path }) => path as `/${string}`)
  const whole = buffered(endpoints)
  const long = streamed(endpoints)
  const gateway = await openGateway(0)
  process.env.SERVICE_BASE_URL = gateway.baseUrl
  gateway.serve([
    localFunction(pathsOf(whole), serve(whole, deps), { timeoutSeconds }),
    localFunction(pathsOf(long), () => undefined, {
      name: 'toy-files',
      timeoutSeconds,
      stream: serveStreamed(long, deps) as never,
    }),
  ])
  return { baseUrl: gateway.baseUrl, log, close: gateway.close }
}
