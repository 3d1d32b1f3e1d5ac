import type { Actor } from '#kernel/actor.ts'
import { bookkeeping } from '#kernel/changes.ts'
import type { Clock } from '#kernel/clock.ts'
import type { AllowanceHolder, AllowanceRate, AllowanceStore } from './ports.ts'

/**
 * Counts a request of the holder of an API key (G17).
 *
 * @param weight as how many usual requests it counts
 * @returns the headers that its answer has, and, if it is refused, in how many seconds it may come again
 */
export type CountRequest = (
  actor: Pick<Actor, 'workspace_id' | 'key_id'>,
  weight?: number,
) => Promise<{ headers: Record<string, string>; retryAfterSeconds?: number; message?: string }>

/** How long a large lease counts, and for how long at least an instance that was refused does not ask again. */
const [leaseMilliseconds, holdMilliseconds] = [1_000, 100]

/**
 * The fewest requests of a lease. So many stay with the instance until they are used: otherwise a firm whose requests are
 * spread over many instances, a few for each in a second, would lose most of its allowance.
 */
const minLease = 5

/** How many times its rate a holder may send at once. */
const burstSeconds = 4

/** Of how many holders an instance remembers its leases. */
const maxHolders = 2_000

/**
 * The allowances of workspaces and API keys: a workspace may send `perSecond` requests a second, each of its keys half of
 * them, and after a pause four times as many at once. A refused request does not count.
 *
 * The store keeps one bucket for each holder. An instance takes a lease of it: as many requests as it had in the last
 * second, but at least a few. So most requests need no call. An instance that is refused asks again when a request is
 * free, and refuses without a call until then.
 *
 * A heavy request is served where one is free, and counts by its weight: it leaves a debt, which is taken from the store before
 * the next one is served.
 *
 * **Precision.** Instances take before they serve. After a second an instance keeps up to five requests of what is left of
 * its lease; the others are lost, at most as many as it had served in a second. So N instances may let through up to five
 * N more at once than a burst, which they had taken before.
 *
 * A store that does not answer refuses nobody: the request itself needs the store, and fails by that.
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
    // The one that was used last stands last: the first is forgotten.
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
    const wanted = Math.max(fewest, Math.min(usual, Math.floor(rate.burst / 4))) - debt
    try {
      const { granted, remaining, nextAt } = await bookkeeping(() => store.take(holder, wanted, rate, now))
      Object.assign(bucket, {
        tokens: debt + granted,
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

  /** Takes a lease where there is none, once for all requests that wait for it. */
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
    for (;;) {
      await Promise.all([ready(firm), ready(key)])
      const now = clock.now().getTime()
      const refusing = [key, firm].filter((bucket) => isRefused(bucket, now))
      const last = refusing.toSorted((one, other) => other.refusedUntil - one.refusedUntil)[0]
      if (last !== undefined) {
        const { refusedUntil, rate } = last
        return {
          headers: headersOf(policy, firm, key, now),
          retryAfterSeconds: Math.max(1, Math.ceil((refusedUntil - now) / 1_000)),
          message: `${last === key ? 'This API key' : 'The workspace'} sends more requests than it may: ${rate.perSecond} a second, ${rate.burst} at once. Wait as long as Retry-After says.`,
        }
      }
      if (firm.tokens <= 0 || key.tokens <= 0) continue
      for (const bucket of [firm, key]) {
        bucket.tokens -= weight
        note(bucket, now)
      }
      return { headers: headersOf(policy, firm, key, now) }
    }
  }
}

/** What an instance knows of an allowance: its lease, what was left at the last look, and its own recent rate. */
type Bucket = {
  holder: AllowanceHolder
  rate: AllowanceRate
  tokens: number
  until: number
  refusedUntil: number
  remaining: number
  seenAt: number
  /** How many requests there were in a second of the clock, and in the one before. */
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

/** `RateLimit` of the same draft: `r` requests are left, and in `t` seconds all of them are. */
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
