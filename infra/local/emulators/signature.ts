import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Hash } from '@smithy/core/serde'
import { SignatureV4 } from '@smithy/signature-v4'

/** The parts of a request that its signature is about. */
type Signed = Pick<IncomingMessage, 'method' | 'url' | 'headers'>

/** The credentials that sign requests to the local services. */
export type Credentials = { accessKeyId: string; secretAccessKey: string }

export type SignatureOptions = {
  /** The service that the signature must be for: `s3`. */
  service: string
  credentials: Credentials
  /** The body, which the signature must cover. Without it, the digest in the header is trusted. */
  body?: Buffer
  now?: number
}

/** The AWS SDK signs with the time of the machine. The thread of SQS replaces `Date.now` later. */
// biome-ignore lint/plugin: A moved clock must not make signatures invalid.
export const machineTime = Date.now

/** The request has no valid signature with these credentials for this service and this time. */
export class BadSignature extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Verifies the signature of a request (AWS Signature Version 4): signs the request again and compares. The signature
 * must cover the host and every `x-amz-` header, so that nobody can add such a header.
 *
 * @returns the place of the signature: in the `Authorization` header or, if the request is presigned, in its query
 * @throws BadSignature
 */
export async function verifySignature(
  request: Signed,
  { service, credentials, body, now = machineTime() }: SignatureOptions,
): Promise<'header' | 'query'> {
  const { method = '', url = '', headers } = request
  const [path = '', search = ''] = url.split(/\?(.*)/s, 2)
  const parameters = new URLSearchParams(search)
  const query = Object.fromEntries(parameters)
  if (Object.keys(query).length !== parameters.size)
    throw new BadSignature('InvalidArgument', 'A parameter must not be repeated.')
  const isPresigned = 'X-Amz-Signature' in query
  if (headers.authorization === undefined && !isPresigned)
    throw new BadSignature('AccessDenied', 'Sign the request.')
  if (headers.authorization !== undefined && isPresigned)
    throw new BadSignature('InvalidArgument', 'Sign the request in its header or in its query, not in both.')

  const claims = isPresigned ? claimsOfQuery(query) : claimsOfHeader(request)
  const signingDate = checkTime(claims, now)
  const signed = signedHeaders(request, claims.signableHeaders)
  if (body !== undefined && digestHeader in signed) signed[digestHeader] = hash('sha256', body)
  const signer = new SignatureV4({
    service,
    credentials,
    region: claims.region,
    sha256: Hash.bind(null, 'sha256'),
    applyChecksum: false,
    // S3 signs paths as they are sent. Other services have the path `/` only.
    uriEscapePath: false,
  })
  // The signer takes a stream for a body that is not signed.
  const again = { method, protocol: '', hostname: '', path, query, headers: signed, body: body ?? request }
  const options = { ...claims, signingDate, unhoistableHeaders: claims.signableHeaders }
  const isSame = isPresigned
    ? areEqual(asText(query), asText((await signer.presign(again, options)).query))
    : areEqual(headers.authorization, (await signer.sign(again, options)).headers.authorization)
  if (isSame) return isPresigned ? 'query' : 'header'
  throw new BadSignature(
    'SignatureDoesNotMatch',
    'The signature does not match this request and the credentials of this run.',
  )
}

/** The properties of a signature, as the request states them. */
type Claims = {
  region: string
  /** The names of the headers that it covers. */
  signableHeaders: Set<string>
  /** `20260504T120000Z` */
  time: string
  expiresIn?: number
}

function claimsOfHeader({ headers }: Signed): Claims {
  const [, scope = '', names = ''] =
    /Credential=([^\s,]+), *SignedHeaders=([^\s,]+)/.exec(headers.authorization ?? '') ?? []
  return claimsOf(scope, names, String(headers['x-amz-date']))
}

function claimsOfQuery(query: Record<string, string>): Claims {
  const { 'X-Amz-Credential': scope = '', 'X-Amz-SignedHeaders': names = '', 'X-Amz-Date': time = '' } = query
  return { ...claimsOf(scope, names, time), expiresIn: Number(query['X-Amz-Expires']) }
}

function claimsOf(scope: string, names: string, time: string): Claims {
  return { region: scope.split('/')[2] ?? '', signableHeaders: new Set(names.split(';')), time }
}

const skewMilliseconds = 15 * 60_000
const maxExpirySeconds = 7 * 24 * 3_600

/** @returns the time of the signature */
function checkTime({ time, expiresIn }: Claims, now: number): Date {
  const date = new Date(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  const age = now - date.getTime()
  const isSoon = age > -skewMilliseconds
  if (expiresIn === undefined) {
    if (isSoon && age < skewMilliseconds) return date
    throw new BadSignature(
      'RequestTimeTooSkewed',
      'The time of the request differs too much from the time of the service.',
    )
  }
  if (isSoon && expiresIn <= maxExpirySeconds && age < expiresIn * 1_000) return date
  throw new BadSignature('AccessDenied', 'Request has expired')
}

const digestHeader = 'x-amz-content-sha256'

/** The headers of these names. */
function signedHeaders({ headers }: Signed, names: Set<string>): Record<string, string> {
  const mustBeSigned = Object.keys(headers).filter((name) => name === 'host' || name.startsWith('x-amz-'))
  const unsigned = mustBeSigned.find((name) => !names.has(name))
  if (unsigned !== undefined)
    throw new BadSignature('AccessDenied', `There is a header that the signature does not cover: ${unsigned}`)
  return Object.fromEntries(
    [...names].flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  )
}

function asText(query: object | undefined): string {
  return JSON.stringify(query)
}

function areEqual(one: string | undefined, other: string | undefined): boolean {
  const [first, second] = [Buffer.from(one ?? ''), Buffer.from(other ?? '')]
  return first.length === second.length && timingSafeEqual(first, second)
}
