import type { IncomingMessage } from 'node:http'
import { BadSignature, type Credentials, verifySignature } from './signature.ts'

export type Guarded = { bucket: string; credentials: Credentials; now?: number }

/**
 * Lets through requests for objects of the one bucket that are signed with this run's credentials, and the question of
 * a browser whether it may upload (CORS preflight), which S3 answers to everybody. Operations on the bucket itself, on
 * other buckets, on parts and on properties of objects are refused, however they are signed.
 *
 * A presigned upload is verified for the length that was announced, which `x-size-bytes` names: unlike on AWS another
 * length is taken, and whoever completes the upload is told what is wrong with it.
 *
 * @throws BadSignature
 */
export function admitToBucket(request: IncomingMessage, { bucket, credentials, now }: Guarded): void {
  const { method = '', headers } = request
  const [path = '', search = ''] = (request.url ?? '').split(/\?(.*)/s, 2)
  const names = new URLSearchParams(search)
  const isBatchDelete = method === 'POST' && path === `/${bucket}/` && names.has('delete')
  if (!isBatchDelete && !isObject(path, bucket))
    throw new BadSignature('AccessDenied', 'Only objects of the bucket of this service are served.')
  if (method === 'OPTIONS') return
  if (!isBatchDelete && !objectMethods.has(method))
    throw new BadSignature('MethodNotAllowed', 'This operation is not served.')

  const announced = names.get(announcedSize)
  const { by } = verifySignature(request, {
    service: 's3',
    credentials,
    ...(announced !== null && method === 'PUT' && { signedHeaders: { 'content-length': announced } }),
    ...(now !== undefined && { now }),
  })
  if (isBatchDelete && by === 'query')
    throw new BadSignature('AccessDenied', 'This must be signed in its header.')
  for (const name of names.keys()) {
    if (!isKnown(name, isBatchDelete))
      throw new BadSignature('NotImplemented', `The parameter ${name} is not served.`)
  }
  const source = headers['x-amz-copy-source']
  if (source !== undefined && !isObject(`/${String(source).replace(/^\//, '')}`, bucket))
    throw new BadSignature('AccessDenied', 'Only objects of the same bucket can be copied.')
  const payload = headers['x-amz-content-sha256']
  if (payload !== undefined && !/^(?:UNSIGNED-PAYLOAD|[0-9a-f]{64})$/.test(String(payload)))
    throw new BadSignature('NotImplemented', 'A body must be signed as a whole.')
}

/** The query parameter in which an upload address names the announced length; S3 ignores names that begin with `x-`. */
const announcedSize = 'x-size-bytes'

const objectMethods = new Set(['GET', 'HEAD', 'PUT', 'DELETE'])

/** Whether a path as it was sent names an object of the bucket, and nothing beside or above it. */
function isObject(path: string, bucket: string): boolean {
  // What a URL parser would change (backslashes, spaces, control characters) is no path of ours.
  if (!path.startsWith(`/${bucket}/`) || !/^[\w\-.~!$&'()*+,;=:@%/]+$/.test(path)) return false
  const segments = path.slice(bucket.length + 2).split('/')
  return segments.every((segment) => {
    const name = decoded(segment)
    // The emulator keeps what belongs to an object in files beside it, with this in their names.
    return name !== undefined && !/^\.{0,2}$|[/\\\p{Cc}]|\._S3rver_/u.test(name)
  })
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

const signatureParameters = new Set(
  [
    'Algorithm',
    'Content-Sha256',
    'Credential',
    'Date',
    'Expires',
    'Security-Token',
    'Signature',
    'SignedHeaders',
  ].map((name) => `X-Amz-${name}`),
)

function isKnown(name: string, isBatchDelete: boolean): boolean {
  return (
    signatureParameters.has(name) ||
    name === 'x-id' ||
    name === announcedSize ||
    name.startsWith('response-content-') ||
    (isBatchDelete && name === 'delete')
  )
}
