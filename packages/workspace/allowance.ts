import type { Actor } from '#kernel/actor.ts'
import { bookkeeping } from '#kernel/changes.ts'
import type { Clock } from '#kernel/clock.ts'
import type { AllowanceHolder, AllowanceRate, AllowanceStore } from './ports.ts'

/**
 * Counts a request of the holder of an API key (G17).
 *
 * @param weight how many ordinary requests it counts as
 * @returns the headers of the answer and, if the request is refused, the seconds after which the client may try again
 */
export type CountRequest = (
  actor: Pick<Actor, 'workspace_id' | 'key_id'>,
  weight?: number,
) => Promise<{ headers: Record<string, string>; retryAfterSeconds?: number; message?: string }>

/** After this time, an instance gives up the unused requests of its lease, except as many as the smallest lease has. */
const leaseMilliseconds = 1_000

/** The shortest time before an instance that got no lease asks the store again. */
const refusalMilliseconds = 100

/**
 * The number of requests in the smallest lease. An instance keeps them until they are used. Otherwise a firm whose
 * requests are spread over many instances would lose most of its allowance.
 */
const minLeaseRequests = 5

/** A burst: after a pause, a holder may send the requests of this many seconds at once. */
const burstSeconds = 4

/** The maximum number of holders whose leases an instance remembers. */
const maxHolders = 2_000

/**
 * The allowances of workspaces and API keys. A workspace may send `perSecond` requests a second, and each of its keys
 * half of that. After a pause, each may send the requests of four seconds at once (a burst). A refused request does not
 * count.
 *
 * **Leases.** The store keeps one bucket of requests for each holder. An instance takes a lease from it: as many
 * requests as it served in the last second, but at least a few. So most requests need no call to the store. If the
 * store has none, the instance asks again when the next request is free. Until then it refuses requests without a call.
 *
 * **Heavy requests.** A heavy request is served if one request is free. Its whole weight is taken from the key, which
 * then may have a debt. Before the next request is served, the debt is taken from the store. From the workspace, a
 * request takes at most the burst of one key, so that the other keys do not pay for the rest. The rest of the weight is
 * taken from a third bucket (`heavy`), which all keys of the workspace share. So all keys together cannot send more
 * heavy requests than one key.
 *
 * **Precision.** An instance takes requests from the store before it serves them. After a second it keeps at most five
 * unused requests of its lease. It loses the others, which are at most as many as it served in a second. So N instances
 * that kept unused requests may serve up to 5 × N requests more than one burst.
 *
 * **Failure of the store.** If the store does not answer, no request is refused for that reason. The request itself
 * needs the store and will fail.
 *
 * @param deps.perSecond the requests of a workspace in a second; 0: no limit
 */
export function allowances(deps: {
  store: AllowanceStore
  clock: Clock
  perSecond: number
  warn: (message: string, fields: Record<string, unknown>) => void
}): CountRequest {
  const { store, clock, perSecond, warn } = deps
  if (perSecond === 0) return async () => ({ headers: {} })
  const firmRate = { perSecond, burst: burstSeconds * perSecond }
  const keyRate = { perSecond: perSecond / 2, burst: (burstSeconds * perSecond) / 2 }
  const policy = [policyOf('firm', firmRate), policyOf('key', keyRate)].join(', ')
  const buckets = new Map<string, Bucket>()

  const bucketOf = (holder: AllowanceHolder, rate: AllowanceRate): Bucket => {
    const name = `${holder.workspace_id} ${holder.holder}`
    const found = buckets.get(name) ?? newBucket(holder, rate)
    // A map keeps the order of insertion: the last bucket is the most recently used, the first one is removed.
    buckets.delete(name)
    buckets.set(name, found)
    if (buckets.size > maxHolders) buckets.delete(buckets.keys().next().value ?? name)
    return found
  }

  const refill = async (bucket: Bucket): Promise<void> => {
    const now = clock.now().getTime()
    const { holder, rate } = bucket
    const fewest = smallestLease(rate)
    const usual = Math.max(countOf(bucket, now, 0), countOf(bucket, now, 1))
    const debt = Math.min(0, bucket.tokens)
    const earned = bucket.askedAt === 0 ? 0 : Math.floor(((now - bucket.askedAt) * rate.perSecond) / 1_000)
    const wanted = Math.max(fewest, Math.min(usual, Math.floor(rate.burst / 4))) - debt
    try {
      const { granted, remaining, nextAt } = await bookkeeping(() => store.take(holder, wanted, rate, now))
      // The bucket in the store is full with one burst. The requests that a longer pause would have added also reduce
      // the debt.
      const beyond = granted < rate.burst ? 0 : Math.max(0, earned - granted)
      Object.assign(bucket, {
        tokens: Math.min(granted, debt + granted + beyond),
        remaining,
        askedAt: now,
        leasedUntil: now + leaseMilliseconds,
      })
      if (granted === 0) bucket.refusedUntil = Math.max(nextAt, now + refusalMilliseconds)
    } catch (error) {
      warn('allowance not counted', { workspace_id: holder.workspace_id, error: String(error) })
      Object.assign(bucket, { tokens: fewest, askedAt: now, leasedUntil: now + leaseMilliseconds })
    }
  }

  /** Takes a lease if none is left. Requests that wait at the same time share the call. */
  const ensureLease = async (bucket: Bucket): Promise<void> => {
    const now = clock.now().getTime()
    if (now < bucket.askedAt) Object.assign(bucket, { tokens: 0, refusedUntil: 0, askedAt: now })
    if (now >= bucket.leasedUntil) bucket.tokens = Math.min(bucket.tokens, smallestLease(bucket.rate))
    if (bucket.tokens > 0 || now < bucket.refusedUntil) return
    bucket.refilling ??= refill(bucket).finally(() => {
      bucket.refilling = undefined
    })
    await bucket.refilling
  }

  return async ({ workspace_id, key_id }, weight = 1) => {
    const firm = bucketOf({ workspace_id, holder: 'firm' }, firmRate)
    const key = bucketOf({ workspace_id, holder: key_id }, keyRate)
    const excess = Math.max(0, weight - keyRate.burst)
    const heavy = excess === 0 ? [] : [bucketOf({ workspace_id, holder: 'heavy' }, keyRate)]
    const all = [key, firm, ...heavy]
    for (;;) {
      await Promise.all(all.map(ensureLease))
      const now = clock.now().getTime()
      const refusing = all.filter((bucket) => isRefused(bucket, now))
      const last = refusing.toSorted((one, other) => other.refusedUntil - one.refusedUntil)[0]
      if (last !== undefined) {
        const { refusedUntil, rate } = last
        const seconds = [Math.ceil((refusedUntil - now) / 1_000), ...all.map(secondsOfDebt)]
        return {
          headers: headersOf(policy, firm, key, now),
          retryAfterSeconds: Math.max(1, ...seconds),
          message: `${last === key ? 'This API key' : 'The workspace'} sends more requests than it may: ${rate.perSecond} a second, ${rate.burst} at once. Wait as long as Retry-After says.`,
        }
      }
      if (all.some(({ tokens }) => tokens <= 0)) continue
      firm.tokens -= weight - excess
      key.tokens -= weight
      for (const bucket of heavy) bucket.tokens -= excess
      for (const bucket of [firm, key]) countServed(bucket, now)
      return { headers: headersOf(policy, firm, key, now) }
    }
  }
}

/** What an instance knows about an allowance. Times are epoch milliseconds. */
type Bucket = {
  holder: AllowanceHolder
  rate: AllowanceRate
  /** The unused requests of the lease. Negative: a debt. */
  tokens: number
  leasedUntil: number
  refusedUntil: number
  /** The requests that the store had left at `askedAt`, when it was last asked. */
  remaining: number
  askedAt: number
  /** The number of requests in the epoch second `second`, and in the second before. */
  second: number
  counts: [number, number]
  refilling: Promise<void> | undefined
}

function newBucket(holder: AllowanceHolder, rate: AllowanceRate): Bucket {
  return {
    holder,
    rate,
    tokens: 0,
    leasedUntil: 0,
    refusedUntil: 0,
    remaining: rate.burst,
    askedAt: 0,
    second: 0,
    counts: [0, 0],
    refilling: undefined,
  }
}

/** The number of requests in the smallest lease of a holder: fewer for a small allowance. */
function smallestLease({ burst }: AllowanceRate): number {
  return Math.min(minLeaseRequests, Math.ceil(burst / 20))
}

function isRefused({ tokens, refusedUntil }: Bucket, now: number): boolean {
  return tokens <= 0 && now < refusedUntil
}

/** The least number of seconds until the debt of a heavy request is paid and another request is free. */
function secondsOfDebt({ tokens, rate }: Bucket): number {
  return Math.ceil((1 - tokens) / rate.perSecond)
}

/** The number of requests in the current second (`ago` 0), or in the second before (`ago` 1). */
function countOf({ second, counts }: Bucket, now: number, ago: 0 | 1): number {
  return counts[second - Math.floor(now / 1_000) + ago] ?? 0
}

function countServed(bucket: Bucket, now: number): void {
  const before = countOf(bucket, now, 1)
  bucket.counts = [countOf(bucket, now, 0) + 1, before]
  bucket.second = Math.floor(now / 1_000)
}

/** A quota policy of draft-ietf-httpapi-ratelimit-headers: `q` requests in `w` seconds. */
function policyOf(name: string, { burst }: AllowanceRate): string {
  return `"${name}";q=${burst};w=${burstSeconds}`
}

/** `RateLimit` of the same draft: `r` requests are left, and all are available again in `t` seconds. */
function headersOf(policy: string, firm: Bucket, key: Bucket, now: number): Record<string, string> {
  const of = (name: string, bucket: Bucket) => {
    const { tokens, remaining, askedAt, rate } = bucket
    const refilled = (Math.max(0, now - askedAt) * rate.perSecond) / 1_000
    const left = isRefused(bucket, now)
      ? 0
      : Math.max(0, Math.min(rate.burst, Math.floor(tokens + remaining + refilled)))
    return `"${name}";r=${left};t=${Math.ceil((rate.burst - left) / rate.perSecond)}`
  }
  return { 'RateLimit-Policy': policy, RateLimit: [of('firm', firm), of('key', key)].join(', ') }
}
