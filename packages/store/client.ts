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
import { Failure } from '#kernel/failure.ts'
import { timeLeft } from '#kernel/time-limit.ts'
import { isTransient } from '#kernel/transient.ts'

/**
 * The document client every store works with. It waits for one answer at most four seconds, repeats what was
 * throttled or lost with jitter (a transaction under its own token, so that it happens once), and gives up
 * when the time of the request is over.
 *
 * @throws Failure 503 SERVICE_UNAVAILABLE from every call that the table did not answer in time.
 */
export function createClient(): DynamoDBDocumentClient {
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient({
      maxAttempts: 6,
      retryMode: 'standard',
      ...plainEndpoint,
      requestHandler: new NodeHttpHandler({
        connectionTimeout: 1_000,
        requestTimeout: 4_000,
        throwOnRequestTimeout: true,
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
    if (milliseconds <= 0) throw unavailable(undefined)
    try {
      return await send(command, { abortSignal: AbortSignal.timeout(Math.ceil(milliseconds)) })
    } catch (error) {
      throw isTransient(error, transientNames) ? unavailable(error) : error
    }
  }
  return Object.assign(client, { send: withinTime as typeof client.send, ...forElectroDb(withinTime) })
}

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

function unavailable(cause: unknown): Failure {
  return new Failure(
    'unavailable',
    'SERVICE_UNAVAILABLE',
    'The store did not answer in time. Try again in a moment.',
    {
      retryAfterSeconds: 2,
      cause,
    },
  )
}

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
