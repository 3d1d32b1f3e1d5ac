import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** The credentials that sign requests to the local services. */
export type Credentials = { accessKeyId: string; secretAccessKey: string }

/** The place of the valid signature, and the SHA-256 of the body; undefined if it does not cover the body. */
export type Signed = { by: 'header' | 'query'; bodySha256: string | undefined }

export type SignatureOptions = {
  /** The service that the signature must be for: `s3`. */
  service: string
  credentials: Credentials
  /** The SHA-256 of the body, if no header names it. */
  bodySha256?: string
  now?: number
}

/** The request has no valid signature with these credentials for this service and this time. */
export class BadSignature extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Verifies the signature of a request (AWS Signature Version 4) in its `Authorization` header or, if it is presigned, in
 * its query. The signature must cover the host and every `x-amz-` header, so that nobody can add such a header.
 *
 * @throws BadSignature
 */
export function verifySignature(request: IncomingMessage, options: SignatureOptions): Signed {
  const [path = '', search = ''] = splitOnce(request.url ?? '', '?')
  const query = search === '' ? [] : search.split('&').map(readPair)
  const { authorization } = request.headers
  const isPresigned = query.some(([name]) => name === 'X-Amz-Signature')
  if (authorization === undefined && !isPresigned) throw new BadSignature('AccessDenied', 'Sign the request.')
  if (authorization !== undefined && isPresigned)
    throw new BadSignature('InvalidArgument', 'Sign the request in its header or in its query, not in both.')

  const claims = isPresigned ? readQuery(query) : readHeader(String(authorization), request)
  checkTime(claims, options.now ?? Date.now())
  const headers = signedValues(request, claims.signedHeaders)
  const bodySha256 = isPresigned
    ? 'UNSIGNED-PAYLOAD'
    : String(request.headers['x-amz-content-sha256'] ?? options.bodySha256)
  const canonicalRequest = [
    request.method,
    path,
    canonicalQuery(query),
    ...headers.map(([name, value]) => `${name}:${value}`),
    '',
    claims.signedHeaders.join(';'),
    bodySha256,
  ].join('\n')
  const [accessKeyId, date = '', region = '', service, ending] = claims.scope
  const scope = [date, region, options.service, 'aws4_request'].join('/')
  const isForUs =
    accessKeyId === options.credentials.accessKeyId &&
    service === options.service &&
    ending === 'aws4_request' &&
    claims.scope.length === 5 &&
    claims.time.startsWith(date)
  const expected = hmac(
    signingKey(options.credentials.secretAccessKey, date, region, options.service),
    ['AWS4-HMAC-SHA256', claims.time, scope, sha256(canonicalRequest)].join('\n'),
  )
  const given = Buffer.from(claims.signature, 'hex')
  if (!isForUs || given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new BadSignature(
      'SignatureDoesNotMatch',
      'The signature does not match this request and the credentials of this run.',
    )
  return {
    by: isPresigned ? 'query' : 'header',
    bodySha256: bodySha256 === 'UNSIGNED-PAYLOAD' ? undefined : bodySha256,
  }
}

/** The SHA-256 of bytes or text in hexadecimal, as used in signatures. */
export function sha256(content: string | Buffer): string {
  return hash('sha256', content)
}

type Pair = [name: string, value: string]

/** The properties of a signature, as the request states them. */
type Claims = {
  scope: string[]
  signedHeaders: string[]
  signature: string
  /** `20260504T120000Z` */
  time: string
  expiresInSeconds: number | undefined
}

function readHeader(authorization: string, { headers }: IncomingMessage): Claims {
  const [, scope = '', signedHeaders = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^\s,]+), ?SignedHeaders=([^\s,]+), ?Signature=([0-9a-f]{64})$/.exec(
      authorization,
    ) ?? []
  return {
    scope: scope.split('/'),
    signedHeaders: signedHeaders.split(';'),
    signature,
    time: String(headers['x-amz-date'] ?? ''),
    expiresInSeconds: undefined,
  }
}

function readQuery(query: Pair[]): Claims {
  const value = (name: string): string => {
    const values = query.filter(([other]) => other === name)
    if (values.length === 1) return values[0]?.[1] ?? ''
    throw new BadSignature('AuthorizationQueryParametersError', `The query must have ${name} once.`)
  }
  if (value('X-Amz-Algorithm') !== 'AWS4-HMAC-SHA256')
    throw new BadSignature('AuthorizationQueryParametersError', 'The algorithm must be AWS4-HMAC-SHA256.')
  const expires = value('X-Amz-Expires')
  return {
    scope: value('X-Amz-Credential').split('/'),
    signedHeaders: value('X-Amz-SignedHeaders').split(';'),
    signature: value('X-Amz-Signature'),
    time: value('X-Amz-Date'),
    expiresInSeconds: /^\d{1,6}$/.test(expires) ? Number(expires) : 0,
  }
}

const skewMilliseconds = 15 * 60_000
const maxExpirySeconds = 7 * 24 * 3_600

function checkTime({ time, expiresInSeconds }: Claims, now: number): void {
  const iso = time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
  const age = now - Date.parse(iso)
  const isSoon = age > -skewMilliseconds
  if (expiresInSeconds === undefined) {
    if (isSoon && age < skewMilliseconds) return
    throw new BadSignature(
      'RequestTimeTooSkewed',
      'The time of the request differs too much from the time of the service.',
    )
  }
  const mayLast = expiresInSeconds >= 1 && expiresInSeconds <= maxExpirySeconds
  if (isSoon && mayLast && age < expiresInSeconds * 1_000) return
  throw new BadSignature('AccessDenied', 'Request has expired')
}

/** The values of the signed headers, in their order. */
function signedValues(request: IncomingMessage, names: string[]): Pair[] {
  const covered = new Set(names)
  const mustBeSigned = Object.keys(request.headers).filter((name) => name.startsWith('x-amz-'))
  const unsigned = ['host', ...mustBeSigned].find((name) => !covered.has(name))
  if (unsigned !== undefined)
    throw new BadSignature('AccessDenied', `There is a header that the signature does not cover: ${unsigned}`)
  return names.map((name) => {
    const values = request.headersDistinct[name] ?? []
    return [name, values.map((value) => value.trim().replaceAll(/\s+/g, ' ')).join(',')]
  })
}

function canonicalQuery(query: Pair[]): string {
  return query
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .toSorted((one, other) => compare(one[0], other[0]) || compare(one[1], other[1]))
    .map((pair) => pair.join('='))
    .join('&')
}

function compare(one: string, other: string): number {
  return Number(one > other) - Number(one < other)
}

function readPair(text: string): Pair {
  const [name = '', value = ''] = splitOnce(text, '=')
  try {
    return [decodeURIComponent(name), decodeURIComponent(value)]
  } catch {
    throw new BadSignature('InvalidURI', 'The query is not percent-encoded UTF-8.')
  }
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** Encodes everything except letters, digits and `-._~` (RFC 3986). */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** The key of a day, region and service. It is derived once: callers use one day and region at a time. */
function signingKey(secret: string, date: string, region: string, service: string): KeyObject {
  const scope = [date, region, service, secret].join('/')
  if (derived?.scope !== scope) {
    const steps = [date, region, service, 'aws4_request']
    const key = steps.reduce<Buffer>((step, part) => hmac(step, part), Buffer.from(`AWS4${secret}`))
    derived = { scope, key: createSecretKey(key) }
  }
  return derived.key
}

let derived: { scope: string; key: KeyObject } | undefined

function hmac(key: Buffer | KeyObject, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
