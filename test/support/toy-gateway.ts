import { buffered, type Endpoints, streamed } from '#http/endpoint.ts'
import { readForm } from '#http/form.ts'
import { serve } from '#http/serve.ts'
import { serveStreamed } from '#http/serve-streamed.ts'
import { openGateway } from '#infra/local/gateway.ts'
import { installStreaming } from '#infra/local/response-stream.ts'
import { localFunction } from './local-function.ts'

/** A line that a toy function logged. */
export type LogLine = { level: 'info' | 'error'; message: string; [field: string]: unknown }

/** Endpoints for a test, behind their own gateway. */
export type ToyGateway = { baseUrl: string; log: LogLine[]; close: () => Promise<void> }

/** Serves these endpoints like functions of the service; a separate function serves the streaming ones. */
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
