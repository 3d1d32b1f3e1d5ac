import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { CannotStart } from './cannot-start.ts'
import { startTextract } from './textract.ts'

/** The services beside the table that functions work with. */
export type Doors = {
  /** What functions read to find them: `AWS_ENDPOINT_URL_S3` and the like. */
  environment: Record<string, string>
  stop: () => Promise<void>
}

/** What opens on this machine unless `AWS_ENDPOINT_URL_…` says where there is one already. */
export const services = ['S3', 'SQS', 'TEXTRACT'] as const

type Endpoints = Partial<Record<(typeof services)[number], string>>

/**
 * Opens S3 (files below `filesDir`), SQS (in memory) and Textract on free ports of the loopback interface, each
 * unless its `AWS_ENDPOINT_URL_…` says where there is one already. They live in threads of this process: moving
 * bytes does not hold up the gateway, and nothing outlives a kill.
 *
 * @throws CannotStart when one of them does not open, or is AWS itself.
 */
export async function openDoors(
  filesDir: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Doors> {
  const given = Object.fromEntries(
    services.flatMap((service) => {
      const endpoint = environment[`AWS_ENDPOINT_URL_${service}`]
      if (!endpoint) return []
      refuseAws(service, endpoint)
      return [[service, endpoint]]
    }),
  ) as Endpoints

  const worker = new Worker(new URL('./doors-server.ts', import.meta.url), {
    workerData: {
      filesDir,
      opens: services.filter((service) => service !== 'TEXTRACT' && given[service] === undefined),
      accessKeyId: environment.AWS_ACCESS_KEY_ID || 'local',
    },
  })
  const [opened] = (await once(worker, 'message').catch((error: unknown) => {
    throw new CannotStart(`S3 and SQS of this machine do not start: ${String(error)}`, error)
  })) as [Endpoints]
  const endpoints: Endpoints = { ...opened, ...given }
  const textract =
    given.TEXTRACT === undefined ? await startTextract({ s3Endpoint: endpoints.S3 ?? '' }) : undefined
  if (textract) endpoints.TEXTRACT = textract.endpoint

  return {
    environment: Object.fromEntries(
      Object.entries(endpoints).map(([service, endpoint]) => [`AWS_ENDPOINT_URL_${service}`, endpoint]),
    ),
    stop: async () => {
      await Promise.all([worker.terminate(), textract?.stop()])
    },
  }
}

function refuseAws(service: string, endpoint: string): void {
  const variable = `AWS_ENDPOINT_URL_${service}`
  if (!URL.canParse(endpoint)) throw new CannotStart(`${variable} must be a URL, not "${endpoint}".`)
  if (new URL(endpoint).hostname.endsWith('.amazonaws.com'))
    throw new CannotStart(`${variable} names AWS itself. npm start works on local data only: unset it.`)
}
