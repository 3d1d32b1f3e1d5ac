import { CannotStart } from '../cannot-start.ts'
import { configuredEndpoint } from '../configured-endpoint.ts'
import { startKms } from './kms.ts'
import type { QueueState } from './queue-state.ts'
import type { BucketRights } from './s3-rights.ts'
import { type Ses, startSes } from './ses.ts'
import type { Credentials } from './signature.ts'
import { type ServiceThread, startThread, type ThreadOptions } from './thread.ts'

/** The local services. Each is started unless the environment names an endpoint for it. */
export const services = ['S3', 'SQS', 'TEXTRACT', 'KMS', 'SES'] as const

type Service = (typeof services)[number]

/** The local AWS services other than DynamoDB. */
export type Emulators = {
  /** The variables that tell functions the addresses: `AWS_ENDPOINT_URL_S3` and others. */
  environment: Record<string, string>
  /** Whether this process started the service. False if the environment names another. */
  isOurs: (service: Service) => boolean
  /** Emits the events of the last day's messages again, if SES was started here. Call it when the queues exist. */
  emitMailEventsAgain: () => Promise<void>
  /** The messages of the queues, if SQS was started here. */
  queueState: () => Promise<QueueState>
  /** Whether SES has emitted all events of its messages. */
  hasEmitted: () => boolean
  /** Resolves with the reason if one of them ends and cannot be started again. */
  died: Promise<string>
  stop: () => Promise<void>
}

type EmulatorOptions = {
  /** The folder of the objects of S3. */
  filesDir: string
  /** The file with the key of KMS that encrypts secrets. */
  keyFile: string
  /** The file with the key of KMS that signs. */
  signingKeyFile: string
  /** The folder that SES writes messages to. */
  mailDir: string
  /** The one configuration set of SES. */
  configurationSet: string
  /** The one bucket of S3. */
  bucket: string
  /** The rights of the functions to its objects. */
  rights: BucketRights
  /** Only requests that are signed with these credentials are answered. */
  credentials: Credentials
  /** Called after SQS was restarted: its queues and messages were in memory and are lost. */
  onQueuesLost?: () => Promise<void>
}

/**
 * Starts S3 with its bucket, SQS, Textract, KMS and SES on free ports of the loopback interface. A service whose
 * `AWS_ENDPOINT_URL_…` is set is not started; with `AWS_ENDPOINT_URL` none is. All except KMS and SES run in threads of
 * this process. They do not delay the gateway, a thread that ends is restarted, and no thread survives a kill of the
 * process.
 *
 * @throws CannotStart if one of them does not start, or if an address belongs to AWS
 */
export async function startEmulators(
  {
    filesDir,
    keyFile,
    signingKeyFile,
    mailDir,
    configurationSet,
    bucket,
    rights,
    credentials,
    onQueuesLost,
  }: EmulatorOptions,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Emulators> {
  const configured = configuredEndpoints(environment)
  const started: Partial<Record<Service, Started>> = {}
  const stop = async () => {
    await Promise.all(Object.values(started).map((service) => service.stop()))
  }
  const start = async (service: Service, run: () => Promise<Started>): Promise<string> => {
    if (configured[service] !== undefined) return configured[service]
    const running = await run().catch((error: unknown) => {
      throw new CannotStart(`The local ${service} does not start: ${String(error)}`, error)
    })
    started[service] = running
    return running.endpoint
  }
  const thread = (
    name: string,
    workerData: object,
    onRestart?: ThreadOptions['onRestart'],
  ): Promise<ServiceThread> =>
    startThread({
      name,
      module: new URL(`./${name.toLowerCase()}.ts`, import.meta.url),
      workerData: { credentials, ...workerData },
      ...(onRestart && { onRestart }),
    })

  const ours: { ses?: Ses; sqs?: ServiceThread } = {}
  const hasSentMails = configured.SES === undefined
  const s3 = start('S3', () => thread('S3', { filesDir, bucket, rights, ...(hasSentMails && { mailDir }) }))
  const starting: Record<Service, Promise<string>> = {
    S3: s3,
    SQS: start('SQS', async () => {
      ours.sqs = await thread('SQS', {}, onQueuesLost)
      return ours.sqs
    }),
    TEXTRACT: s3.then((s3Endpoint) => start('TEXTRACT', () => thread('Textract', { s3Endpoint }))),
    KMS: start('KMS', async () => {
      const { endpoint, close } = await startKms({ keyFile, signingKeyFile }, credentials)
      return { endpoint, stop: close }
    }),
    SES: start('SES', async () => {
      ours.ses = await startSes({ folder: mailDir, credentials, configurationSet })
      return { endpoint: ours.ses.endpoint, stop: ours.ses.close }
    }),
  }
  const outcomes = await Promise.allSettled(Object.values(starting))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed !== undefined) {
    await stop()
    throw failed.reason
  }
  return {
    environment: Object.fromEntries(
      await Promise.all(
        services.map(async (service) => [`AWS_ENDPOINT_URL_${service}`, await starting[service]] as const),
      ),
    ),
    isOurs: (service) => configured[service] === undefined,
    emitMailEventsAgain: async () => ours.ses?.emitAgain(),
    queueState: async () => {
      if (ours.sqs === undefined) throw new Error('SQS is not of this process.')
      return (await ours.sqs.ask('state')) as QueueState
    },
    hasEmitted: () => ours.ses?.hasEmitted() ?? true,
    died: Promise.race(Object.values(started).flatMap(({ died }) => died ?? [])),
    stop,
  }
}

type Started = { endpoint: string; died?: Promise<string>; stop: () => Promise<void> }

function configuredEndpoints(environment: NodeJS.ProcessEnv): Partial<Record<Service, string>> {
  const entries = services.map((service) => [service, configuredEndpoint(service, environment)] as const)
  return Object.fromEntries(entries.filter(([, endpoint]) => endpoint !== undefined))
}
