import type { Actor } from '#kernel/actor.ts'
import { bookkeeping } from '#kernel/changes.ts'
import type { Clock } from '#kernel/clock.ts'
import type { AllowanceHolder, AllowanceRate, AllowanceStore } from './ports.ts'

/**
 * Counts a request of the holder of an API key (G17).
 *
 * @param weight the number of usual requests that it counts as
 * @returns the headers of its answer and, if it is refused, after how many seconds the client may try again
 */
export type CountRequest = (
  actor: Pick<Actor, 'workspace_id' | 'key_id'>,
  weight?: number,
) => Promise<{ headers: Record<string, string>; retryAfterSeconds?: number; message?: string }>

/** How long a large lease is valid, and the shortest time before an instance that was refused asks again. */
const [leaseMilliseconds, holdMilliseconds] = [1_000, 100]

/**
 * The fewest requests of a lease. An instance keeps this many until they are used. Otherwise a firm whose requests are
 * spread over many instances, a few per second for each, would lose most of its allowance.
 */
const minLease = 5

/** A holder may send the requests of this many seconds at once. */
const burstSeconds = 4

/** The most holders whose leases an instance remembers. */
const maxHolders = 2_000

/**
 * The allowances of workspaces and API keys. A workspace may send `perSecond` requests a second, and each of its keys
 * half of them; after a pause, four times as many at once. A refused request does not count.
 *
 * The store keeps one bucket for each holder. An instance takes a lease from it: as many requests as it had in the last
 * second, but at least a few. So most requests need no call. An instance that gets no lease asks again when the next
 * request is free, and refuses without a call until then.
 *
 * A heavy request is served if one request is free, and counts by its weight. It leaves a debt, which is taken from the
 * store before the next request is served. The debt is the key's. For the workspace a request counts at most as many as
 * a key may send at once: the other keys do not pay for it. The rest is a debt of all heavy requests of the
 * workspace together, so that many keys do not send more of them than one.
 *
 * **Precision.** Instances take before they serve. After a second an instance keeps up to five of the unused requests
 * of its lease. The others are lost: at most as many as it had served in a second. So N instances may let through up to
 * 5 × N requests more at once than a burst; they had taken these before.
 *
 * If the store does not answer, no request is refused here: the request itself needs the store and will fail.
 *
 * @param perSecond requests of a workspace in a second; 0 counts nothing
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
    // The most recently used one is last; the first is removed.
    buckets.delete(name)
    buckets.set(name, found)
    if (buckets.size > maxHolders) buckets.delete(buckets.keys().next().value ?? name)
    return found
  }

  const refill = async (bucket: Bucket): Promise<void> => {
    const now = clock.now().getTime()
    const { holder, rate } = bucket
    const fewest = fewestOf(rate)
    const usual = Math.max(countOf(bucket, now, 0), countOf(bucket, now, 1))
    const debt = Math.min(0, bucket.tokens)
    const earned = bucket.seenAt === 0 ? 0 : Math.floor(((now - bucket.seenAt) * rate.perSecond) / 1_000)
    const wanted = Math.max(fewest, Math.min(usual, Math.floor(rate.burst / 4))) - debt
    try {
      const { granted, remaining, nextAt } = await bookkeeping(() => store.take(holder, wanted, rate, now))
      // The store keeps no more than a burst. Further requests that a pause gave pay a debt too.
      const beyond = granted < rate.burst ? 0 : Math.max(0, earned - granted)
      Object.assign(bucket, {
        tokens: Math.min(granted, debt + granted + beyond),
        remaining,
        seenAt: now,
        until: now + leaseMilliseconds,
      })
      if (granted === 0) bucket.refusedUntil = Math.max(nextAt, now + holdMilliseconds)
    } catch (error) {
      warn('allowance not counted', { workspace_id: holder.workspace_id, error: String(error) })
      Object.assign(bucket, { tokens: fewest, seenAt: now, until: now + leaseMilliseconds })
    }
  }

  /** Takes a lease if there is none, once for all requests that wait for it. */
  const ready = async (bucket: Bucket): Promise<void> => {
    const now = clock.now().getTime()
    if (now < bucket.seenAt) Object.assign(bucket, { tokens: 0, refusedUntil: 0, seenAt: now })
    if (now >= bucket.until) bucket.tokens = Math.min(bucket.tokens, fewestOf(bucket.rate))
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
      await Promise.all(all.map(ready))
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
      for (const bucket of [firm, key]) note(bucket, now)
      return { headers: headersOf(policy, firm, key, now) }
    }
  }
}

/** The state of an allowance in an instance: its lease, the requests left at the last read, and its own recent rate. */
type Bucket = {
  holder: AllowanceHolder
  rate: AllowanceRate
  tokens: number
  until: number
  refusedUntil: number
  remaining: number
  seenAt: number
  /** The number of requests in a second of the clock, and in the one before. */
  second: number
  counts: [number, number]
  refilling: Promise<void> | undefined
}

function newBucket(holder: AllowanceHolder, rate: AllowanceRate): Bucket {
  return {
    holder,
    rate,
    tokens: 0,
    until: 0,
    refusedUntil: 0,
    remaining: rate.burst,
    seenAt: 0,
    second: 0,
    counts: [0, 0],
    refilling: undefined,
  }
}

/** The fewest requests of a lease, less for a small allowance. */
function fewestOf({ burst }: AllowanceRate): number {
  return Math.min(minLease, Math.ceil(burst / 20))
}

function isRefused({ tokens, refusedUntil }: Bucket, now: number): boolean {
  return tokens <= 0 && now < refusedUntil
}

/** How long it takes at least until the debt of a heavy request is paid and another request is free. */
function secondsOfDebt({ tokens, rate }: Bucket): number {
  return Math.ceil((1 - tokens) / rate.perSecond)
}

/** The requests of this second (0), or of the one before (1). */
function countOf({ second, counts }: Bucket, now: number, ago: 0 | 1): number {
  return counts[second - Math.floor(now / 1_000) + ago] ?? 0
}

function note(bucket: Bucket, now: number): void {
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
    const { tokens, remaining, seenAt, rate } = bucket
    const refilled = (Math.max(0, now - seenAt) * rate.perSecond) / 1_000
    const left = isRefused(bucket, now)
      ? 0
      : Math.max(0, Math.min(rate.burst, Math.floor(tokens + remaining + refilled)))
    return `"${name}";r=${left};t=${Math.ceil((rate.burst - left) / rate.perSecond)}`
  }
  return { 'RateLimit-Policy': policy, RateLimit: [of('firm', firm), of('key', key)].join(', ') }
}
