import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { noteChange } from '#kernel/changes.ts'
import { timeLeft } from '#kernel/time-limit.ts'
import { isTransient } from '#kernel/transient.ts'
import { unavailable } from '#kernel/unavailable.ts'

/**
 * The document client every store works with. It waits for one answer at most four seconds, repeats what was
 * throttled or lost with jitter (a transaction under its own token, so that it happens once), and gives up
 * when the time of the request is over.
 *
 * @throws Failure 503 SERVICE_UNAVAILABLE from every call that the table did not answer in time. It says whether a
 *   change may have been made: by this call, or by one before it in the same request.
 */
export function createClient(): DynamoDBDocumentClient {
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient({
      maxAttempts: 6,
      retryMode: 'standard',
      ...plainEndpoint,
      requestHandler: new NodeHttpHandler({
        // From two seconds on the SDK counts anew when a busy process comes to look whether it is connected.
        connectionTimeout: 2_000,
        requestTimeout: 4_000,
        throwOnRequestTimeout: true,
        // Waiting for one of a few connections would count as connecting.
        httpAgent: unlimited,
        httpsAgent: unlimited,
      }),
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  )
  // Nobody reads what they make: the SDK's own log lines, and which SDK it is that calls.
  for (const name of ['loggerMiddleware', 'getUserAgentMiddleware']) client.middlewareStack.remove(name)
  const send = client.send.bind(client) as (
    command: unknown,
    options: { abortSignal: AbortSignal },
  ) => Promise<unknown>
  const withinTime = async (command: unknown): Promise<unknown> => {
    const milliseconds = timeLeft()
    if (milliseconds <= 0) throw unavailable(tooLate)
    const abortSignal = AbortSignal.timeout(Math.ceil(milliseconds))
    const write = isWrite(command) ? watchAttempts(command, abortSignal) : undefined
    try {
      const answer = await send(command, { abortSignal })
      if (write) noteChange()
      return answer
    } catch (error) {
      if (write?.answerLost) noteChange()
      throw isTransient(error, transientNames) ? unavailable(tooLate, { cause: error }) : error
    }
  }
  return Object.assign(client, { send: withinTime as typeof client.send, ...forElectroDb(withinTime) })
}

const unlimited = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY }

/**
 * The methods by which ElectroDB calls a document client of the SDK's second version. With them it makes no
 * commands itself, so that a function's bundle holds those that are used and not all that DynamoDB has.
 */
function forElectroDb(send: (command: unknown) => Promise<unknown>) {
  const by =
    <Input>(Command: new (input: Input) => unknown) =>
    (input: Input) => ({ promise: () => send(new Command(input)), abort: () => {} })
  const never = () => {
    throw new Error('Our stores do not scan, read in transactions, or keep sets.')
  }
  return {
    get: by(GetCommand),
    put: by(PutCommand),
    update: by(UpdateCommand),
    delete: by(DeleteCommand),
    query: by(QueryCommand),
    batchGet: by(BatchGetCommand),
    batchWrite: by(BatchWriteCommand),
    transactWrite: by(TransactWriteCommand),
    scan: never,
    transactGet: never,
    createSet: never,
  }
}

/**
 * What the SDK would otherwise look for at the first call of every function: in the environment, and in the files of a
 * laptop. The table is reached at the usual endpoint of its region, or at `AWS_ENDPOINT_URL_DYNAMODB`.
 */
const plainEndpoint = {
  accountIdEndpointMode: 'disabled',
  defaultsMode: 'legacy',
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
} as const

const tooLate = 'The store did not answer in time.'

/** A command that writes; that all have the same stack of middleware is enough of a type for them here. */
type Write = Pick<TransactWriteCommand, 'middlewareStack'>

const writes = [TransactWriteCommand, PutCommand, UpdateCommand, DeleteCommand, BatchWriteCommand]

function isWrite(command: unknown): command is Write {
  return writes.some((Command) => command instanceof Command)
}

/** Watches the attempts that the SDK makes for a write: one that was sent and got no answer may have taken effect. */
function watchAttempts(command: Write, abortSignal: AbortSignal): { answerLost: boolean } {
  const seen = { answerLost: false }
  command.middlewareStack.add(
    (next) => async (call) => {
      const isSent = !abortSignal.aborted
      try {
        return await next(call)
      } catch (error) {
        if (isSent && mayHaveTakenEffect(error)) seen.answerLost = true
        throw error
      }
    },
    // Low: after the SDK's own step of this kind that repeats, so that it sees each attempt.
    { step: 'finalizeRequest', priority: 'low' },
  )
  return seen
}

/** Whether a request that ended so may have been carried out: not if it was refused, nor if it was never sent. */
function mayHaveTakenEffect(error: unknown): boolean {
  if (!(error instanceof Error)) return true
  const status = '$metadata' in error && (error.$metadata as { httpStatusCode?: number }).httpStatusCode
  if (status) return status >= 500 || error.name === 'TransactionInProgressException'
  const code = 'code' in error ? String(error.code) : ''
  // The SDK gives the timeout of a request a code, that of a connection none.
  const isUnconnected = error.name === 'TimeoutError' && code === ''
  return !isUnconnected && !unsentCodes.has(code)
}

const unsentCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

const transientNames = new Set([
  'AbortError',
  'TimeoutError',
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'InternalServerError',
  'ServiceUnavailable',
  'ServiceUnavailableException',
  'TransactionInProgressException',
  'ECONNREFUSED',
  'ECONNRESET',
])
