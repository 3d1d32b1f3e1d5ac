import type { APIGatewayProxyEvent } from 'aws-lambda'
import { preferredLanguage, preferredType } from './accept.ts'
import { header } from './request-event.ts'

/** The facts about the caller that an endpoint declares. Its handler receives only these. */
export type CallerFacts = {
  /** The IP address of the connection. */
  ip?: true
  /** The caller's `User-Agent`, at most 500 characters. */
  userAgent?: true
  /** Which of these languages the caller prefers (`Accept-Language`); the first if the caller accepts none. */
  languages?: readonly [string, ...string[]]
  /** Which of these media types the caller prefers (`Accept`); the first if the caller accepts none. */
  accepts?: readonly [string, ...string[]]
  /** The value of the cookie of this name. */
  cookie?: string
}

/** The declared facts in the form in which a handler receives them. */
export type CallerOf<Facts extends CallerFacts> = (Facts extends { ip: true } ? { ip: string } : unknown) &
  (Facts extends { userAgent: true } ? { userAgent: string | undefined } : unknown) &
  (Facts extends { languages: readonly (infer Language)[] } ? { language: Language } : unknown) &
  (Facts extends { accepts: readonly (infer Type)[] } ? { accepted: Type } : unknown) &
  (Facts extends { cookie: string } ? { cookie: string | undefined } : unknown)

export type Caller = {
  ip?: string
  userAgent?: string | undefined
  language?: string
  accepted?: string
  cookie?: string | undefined
}

const maxUserAgentCharacters = 500

export function readCaller(facts: CallerFacts, event: APIGatewayProxyEvent): Caller {
  const { sourceIp } = event.requestContext.identity ?? {}
  return {
    // Not from `X-Forwarded-For`, whose first entries the caller can invent.
    ...(facts.ip && { ip: sourceIp ?? '' }),
    ...(facts.userAgent && { userAgent: header(event, 'user-agent')?.slice(0, maxUserAgentCharacters) }),
    ...(facts.languages && {
      language: preferredLanguage(header(event, 'accept-language'), facts.languages),
    }),
    ...(facts.accepts && {
      accepted: preferredType(header(event, 'accept'), facts.accepts) ?? facts.accepts[0],
    }),
    ...(facts.cookie !== undefined && { cookie: readCookie(header(event, 'cookie'), facts.cookie) }),
  }
}

/** The value of the first cookie with this name (RFC 6265, 4.2.1). */
function readCookie(cookies: string | undefined, name: string): string | undefined {
  const pair = cookies?.split(';').find((one) => one.split('=')[0]?.trim() === name)
  return pair?.slice(pair.indexOf('=') + 1).trim()
}
