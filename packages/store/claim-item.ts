import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { epochMilliseconds } from '#kernel/clock.ts'
import type { Claim, KeptAnswer, KeyedRequest } from '#kernel/idempotency.ts'
import type { Db } from './db.ts'

type Put = NonNullable<NonNullable<TransactWriteCommandInput['TransactItems']>[number]['Put']>

/** Loaded with the first claim: most instances get none in their first request. */
const zlib = () => process.getBuiltinModule('node:zlib')

/** How long a repeated request gets the first answer (G14). */
const keptSeconds = 24 * 60 * 60

/** How long a request may run before it stores its answer. Its note is kept longer by this time. */
const longestRequestSeconds = 15 * 60

/** An item holds at most 400 KB. */
const maxPartBytes = 350_000

/**
 * The writes of a claim. The first is refused if the key already has an answer; there are more only if the answer is
 * too large for one item. The items do not have the attributes that ElectroDB would add: a typical item stays below 1
 * KB, which costs two write units.
 *
 * @param options.changesNothing whether the request changed nothing: then a large body is left out, since it can be made
 *   again
 * @param options.isBodyKept false: the body is left out in any case
 */
export function claimPuts(
  db: Db,
  claim: Claim,
  { changesNothing, isBodyKept = true }: { changesNothing: boolean; isBodyKept?: boolean },
): Put[] {
  const { status, body, etag } = claim.answer
  const key = claimKey(claim)
  const ttl = now() + keptSeconds
  const bytes = zlib().deflateRawSync(body)
  const isLeftOut = !isBodyKept || (changesNothing && bytes.length > maxPartBytes)
  const [first, ...more] = partsOf(bytes)
  return [
    {
      TableName: db.table,
      Item: {
        ...key,
        content: claim.content,
        status,
        ...(!isLeftOut && { body: first }),
        ...(!isLeftOut && more.length > 0 && { parts: more.length }),
        ...(etag !== undefined && { etag }),
        ...(changesNothing && { changes_nothing: true }),
        ttl,
      },
      // DynamoDB may remove an expired item days later.
      ConditionExpression: 'attribute_not_exists(#pk) OR #ttl <= :now',
      ExpressionAttributeNames: { '#pk': 'pk', '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':now': now() },
    },
    ...(isLeftOut ? [] : more).map((part, at) => ({
      TableName: db.table,
      Item: { pk: key.pk, sk: partKey(at), body: part, ttl },
    })),
  ]
}

function partsOf(bytes: Buffer): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / maxPartBytes) }, (_, at) =>
    bytes.subarray(at * maxPartBytes, (at + 1) * maxPartBytes),
  )
}

function partKey(at: number): string {
  return `part_${String(at).padStart(3, '0')}`
}

/** The key of the first item: there is a partition for each key of a user. */
export function claimKey({ workspace_id, user_id, key }: Omit<KeyedRequest, 'content'>) {
  return { pk: `${workspace_id}#idempotency#${user_id}#${key}`, sk: '-' }
}

/** The partition of the notes that list the claims of a firm. */
export function claimNotes(workspaceId: string): string {
  return `${workspaceId}#kept_answers`
}

/** The note of a claim: its sort key is the rest of the key of the claim. */
export function claimNote({ workspace_id, user_id, key }: Omit<KeyedRequest, 'content'>) {
  const ttl = now() + keptSeconds + longestRequestSeconds
  return { pk: claimNotes(workspace_id), sk: `${user_id}#${key}`, ttl }
}

/** The partition of the claim that a note names. */
export function notedClaim(workspaceId: string, note: string): string {
  return `${workspaceId}#idempotency#${note}`
}

/**
 * The claim in the items of a partition, in their order; undefined if there is none or it has expired.
 *
 * @param options.expired whether to read an expired claim too: DynamoDB may remove it days later
 */
export function readClaim(
  items: Record<string, unknown>[],
  { expired = false }: { expired?: boolean } = {},
): { content: string; answer: KeptAnswer } | undefined {
  const [first, ...others] = items as StoredPart[]
  if (first === undefined || (!expired && first.ttl <= now())) return undefined
  const { content = '', status = 0, body, parts = 0, etag } = first
  // Parts of an earlier, expired answer may still exist.
  const more = others.slice(0, parts).map((part) => part.body ?? new Uint8Array())
  const text =
    body &&
    zlib()
      .inflateRawSync(Buffer.concat([body, ...more]))
      .toString('utf8')
  return { content, answer: { status, body: text, etag } }
}

type StoredPart = {
  content?: string
  status?: number
  body?: Uint8Array
  parts?: number
  etag?: string
  ttl: number
}

/** Epoch seconds. */
function now(): number {
  return Math.floor(epochMilliseconds() / 1000)
}
