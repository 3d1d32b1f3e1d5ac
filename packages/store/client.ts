import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  type GetCommandOutput,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { awsEndpoint } from '#kernel/aws-endpoint.ts'
import { noteChange } from '#kernel/changes.ts'
import { machineMilliseconds } from '#kernel/clock.ts'
import { timeLeft } from '#kernel/time-limit.ts'
import { isTransient } from '#kernel/transient.ts'
import { unavailable } from '#kernel/unavailable.ts'
import type { LayoutCheck } from './layout.ts'
import { layoutKey, tableName } from './table.ts'

/**
 * The document client of all stores. It waits up to four seconds for an answer, and five if the answer stops in the
 * middle. It repeats throttled and unanswered calls with jitter, and a transaction with the same token, so that it takes
 * effect once. It also repeats a single write of an item that a transaction is changing. It stops at the time limit of
 * the request.
 *
 * @throws Failure 503 SERVICE_UNAVAILABLE from each call if the table does not answer in time. It says whether a change
 *   may have been made, by this call or by an earlier one of the same request.
 * @param checkLayout checks the layout of the table before the first answer and the first change
 */
export function createClient(checkLayout?: LayoutCheck): DynamoDBDocumentClient {
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient({
      maxAttempts: 6,
      retryMode: 'standard',
      ...plainEndpoint(),
      requestHandler: new NodeHttpHandler({
        // With two seconds or more, the SDK checks the connection again before it fails in a busy process.
        connectionTimeout: 2_000,
        requestTimeout: 4_000,
        throwOnRequestTimeout: true,
        // For an answer that stops after its headers. It is longer, because the SDK's error for it has no code.
        socketTimeout: 5_000,
        // With a limited number of connections, the wait for a free one would count as connection time.
        httpAgent: unlimited,
        httpsAgent: unlimited,
      }),
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  )
  // Their output is not used: the SDK's log lines, and the header that names the SDK.
  for (const name of ['loggerMiddleware', 'getUserAgentMiddleware']) client.middlewareStack.remove(name)
  const send = client.send.bind(client) as Send
  const sendChecked = checkLayout === undefined ? send : checked(send, checkLayout)
  const withinTime = async (command: unknown): Promise<unknown> => {
    const milliseconds = timeLeft()
    if (milliseconds <= 0) throw unavailable(tooLate)
    const abortSignal = AbortSignal.timeout(Math.ceil(milliseconds))
    const write = isWrite(command) ? watchAttempts(command, abortSignal) : undefined
    try {
      const answer = await sendChecked(command, { abortSignal })
      if (write) noteChange()
      return answer
    } catch (error) {
      if (write?.answerLost) noteChange()
      throw isTransient(error, transientNames) ? unavailable(tooLate, { cause: error }) : error
    }
  }
  return Object.assign(client, { send: withinTime as typeof client.send, ...forElectroDb(withinTime) })
}

type Send = (command: unknown, options: { abortSignal: AbortSignal }) => Promise<unknown>

/** A read runs in parallel with the check, a write after it. */
function checked(send: Send, check: LayoutCheck): Send {
  return async (command, options) => {
    const layout = check(async () => {
      const get = new GetCommand({ TableName: tableName(), Key: layoutKey, ConsistentRead: true })
      return ((await send(get, options)) as GetCommandOutput).Item
    })
    if (layout === undefined) return send(command, options)
    if (!isWrite(command)) return Promise.all([send(command, options), layout]).then(([answer]) => answer)
    await layout
    return send(command, options)
  }
}

const unlimited = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY }

/**
 * The methods by which ElectroDB calls a document client of the SDK's version 2. With these methods ElectroDB creates
 * no commands itself, so a bundle contains only the commands that are used here.
 */
function forElectroDb(send: (command: unknown) => Promise<unknown>) {
  const by =
    <Input>(Command: new (input: Input) => unknown) =>
    (input: Input) => ({ promise: () => send(new Command(input)), abort: () => {} })
  const never = () => {
    throw new Error('The stores do not use scans, transactional reads or sets.')
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
 * Settings that the SDK would otherwise look up in the environment and in files at the first call. The endpoint comes
 * from the environment, or is the default of the region.
 */
function plainEndpoint() {
  const endpoint = awsEndpoint('DYNAMODB')
  return {
    accountIdEndpointMode: 'disabled',
    authSchemePreference: [],
    defaultsMode: 'legacy',
    disableClockSkewCorrection: false,
    ignoreConfiguredEndpointUrls: true,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    ...(endpoint && { endpoint }),
  } satisfies DynamoDBClientConfig
}

const tooLate = 'The store did not answer in time.'

/** A command that writes. All of them have a middleware stack of this type. */
type Write = Pick<TransactWriteCommand, 'middlewareStack'>

const writes = [TransactWriteCommand, PutCommand, UpdateCommand, DeleteCommand, BatchWriteCommand]

function isWrite(command: unknown): command is Write {
  return writes.some((Command) => command instanceof Command)
}

/**
 * The SDK begins no attempt to write later than this after the first: six attempts of at most six seconds each, with
 * pauses. A function that was frozen between two attempts gives up, because readers no longer expect its change
 * (`change-log.ts`).
 */
const lastAttemptMilliseconds = 34_000

/**
 * Notes whether an attempt to write was sent and not answered: such a write may have taken effect. It also prevents
 * attempts that begin too late.
 */
function watchAttempts(command: Write, abortSignal: AbortSignal): { answerLost: boolean } {
  const seen = { answerLost: false }
  const latest = machineMilliseconds() + lastAttemptMilliseconds
  command.middlewareStack.add(
    (next) => async (call) => {
      if (machineMilliseconds() > latest)
        throw Object.assign(new Error('The process was frozen between two attempts.'), { name: 'AbortError' })
      const isSent = !abortSignal.aborted
      try {
        return await next(call)
      } catch (error) {
        if (isSent && mayHaveTakenEffect(error)) seen.answerLost = true
        // The SDK repeats what has this mark.
        throw isConflict(error) ? Object.assign(error, { $retryable: {} }) : error
      }
    },
    // Low priority: it runs after the SDK's retry step, once per attempt.
    { step: 'finalizeRequest', priority: 'low' },
  )
  return seen
}

/** Whether a single write was refused because a transaction is changing its item. */
function isConflict(error: unknown): error is Error {
  return error instanceof Error && error.name === 'TransactionConflictException'
}

/** Whether a request with this error may have taken effect: false if it was refused or never sent. */
function mayHaveTakenEffect(error: unknown): boolean {
  if (!(error instanceof Error)) return true
  const status = '$metadata' in error && (error.$metadata as { httpStatusCode?: number }).httpStatusCode
  // A status below 400: the connection ended before the whole answer had arrived.
  if (status) return status < 400 || status >= 500 || error.name === 'TransactionInProgressException'
  const code = 'code' in error ? String(error.code) : ''
  // The SDK's timeout error has a code for a request, and none for a connection.
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
  'TransactionConflictException',
  'TransactionInProgressException',
])
