import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { errorEnvelope, gatewayAnswers, gatewayHeaders } from '#infra/gateway-answers.ts'
import { attempted } from '#kernel/attempted.ts'
import { timestamp } from '#kernel/clock.ts'
import { isDirectAndLocal } from '#loopback-http/loopback.ts'
import { type Answer, refuse } from './answer.ts'
import { type LocalClock, NotSettled } from './clock.ts'
import type { LocalPages } from './gateway.ts'
import { afterDuration, durationForm } from './iso-duration.ts'

/** A move of more years would stop at millions of moments. */
const maxYears = 10

const Move = z.union([
  z.strictObject({ advance: z.string().regex(durationForm) }),
  z.strictObject({ now: z.iso.datetime({ offset: true }) }),
])

/**
 * `/local/clock` (E9). GET answers `{now, settled}`. POST with `{"advance": "P90D"}` or `{"now": "2027-01-04T08:00:00+01:00"}`
 * moves the time forward, and answers the same when everything that became due is done. No key is needed, but only
 * programs of this machine are answered, as for the mail pages.
 */
export function clockPages(clock: LocalClock): LocalPages {
  const state = async () => ({ now: timestamp(), settled: await clock.isSettled() })

  const move = async (body: Buffer): Promise<Answer> => {
    const asked = Move.safeParse(attempted(() => JSON.parse(body.toString('utf8'))))
    if (!asked.success)
      return refused(
        400,
        'VALIDATION_ERROR',
        'Send {"advance": "P90D"}, an ISO 8601 duration, or {"now": "2027-01-04T08:00:00+01:00"}.',
      )
    try {
      await clock.move((now) => targetOf(asked.data, new Date(now)).getTime())
    } catch (error) {
      if (error instanceof Refused) return refused(400, error.code, error.message)
      if (error instanceof NotSettled)
        return refused(503, 'SERVICE_UNAVAILABLE', `The work of ${timestamp()} has not ended: try again.`)
      throw error
    }
    return json(200, JSON.stringify(await state()))
  }

  return async ({ method = '', headers, path, body }) => {
    if (!/^\/local\/clock\/?$/.test(path)) return undefined
    if (!isDirectAndLocal(headers))
      return refused(
        403,
        gatewayAnswers.blocked.code,
        'Only programs of this machine may read or move the clock.',
      )
    if (method === 'GET' || method === 'HEAD') return json(200, JSON.stringify(await state()))
    if (method === 'POST') return move(body)
    return refuse('unknownRoute', randomUUID())
  }
}

class Refused extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

function targetOf(asked: z.infer<typeof Move>, now: Date): Date {
  const target = 'now' in asked ? new Date(asked.now) : afterDuration(now, asked.advance)
  const latest = new Date(now)
  latest.setUTCFullYear(now.getUTCFullYear() + maxYears)
  if (target < now)
    throw new Refused('CLOCK_BACKWARD', `The clock goes forward only: it shows ${now.toISOString()}.`)
  if (!(target <= latest))
    throw new Refused('VALIDATION_ERROR', `The clock is moved by at most ${maxYears} years at once.`)
  return target
}

function refused(status: number, code: string, message: string): Answer {
  return json(status, errorEnvelope({ status, code, message }, randomUUID()))
}

function json(status: number, body: string): Answer {
  const headers = Object.entries(gatewayHeaders(gatewayAnswers.fault))
  return { status, headers: [['Content-Type', 'application/json'], ...headers], body }
}
