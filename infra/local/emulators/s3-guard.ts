import type { IncomingMessage } from 'node:http'
import { attempted } from '#kernel/attempted.ts'
import { namesLoopback } from '#loopback-http/loopback.ts'
import { BadSignature, type Credentials, verifySignature } from './signature.ts'

type Guarded = { bucket: string; credentials: Credentials }

/**
 * Admits requests for objects of the one bucket that are signed with the credentials of this run, and CORS preflight
 * requests, which S3 answers for everybody. It refuses operations on the bucket, on other buckets and on properties of
 * objects, even if they are signed. One exception is listing one workspace's objects under one prefix, which the
 * operator's commands need (W8). An object may be uploaded in parts.
 *
 * The signature of a presigned upload covers its length: an upload of another length is refused, as by AWS. Pages of
 * any origin may use a presigned URL, and nothing else.
 *
 * @throws BadSignature
 */
export async function admitToBucket(
  request: IncomingMessage,
  { bucket, credentials }: Guarded,
): Promise<void> {
  const { method = '', headers } = request
  if (!namesLoopback(headers.host)) throw new BadSignature('AccessDenied', 'The host is not this machine.')
  const [path = '', search = ''] = (request.url ?? '').split(/\?(.*)/s, 2)
  const names = new URLSearchParams(search)
  const isBatchDelete = method === 'POST' && path === `/${bucket}/` && names.has('delete')
  const isList = method === 'GET' && path === `/${bucket}/` && isListOfWorkspace(names)
  if (!isBatchDelete && !isList && !isObject(path, bucket))
    throw new BadSignature('AccessDenied', 'Only objects in the bucket of this service are available.')
  if (method === 'OPTIONS') return
  const isOfUpload = isStepOfUpload(method, names)
  if (!isBatchDelete && !isOfUpload && !objectMethods.has(method))
    throw new BadSignature('MethodNotAllowed', 'This operation is not available.')

  const by = await verifySignature(request, { service: 's3', credentials })
  if ((isBatchDelete || isOfUpload || isList) && by === 'query')
    throw new BadSignature('AccessDenied', 'This must be signed in its header.')
  if (headers.origin !== undefined && by === 'header')
    throw new BadSignature('AccessDenied', 'Pages of a browser need a presigned URL.')
  for (const name of names.keys()) {
    if (
      !isKnown(name, isBatchDelete) &&
      !(isOfUpload && partParameters.has(name)) &&
      !(isList && listParameters.has(name))
    )
      throw new BadSignature('NotImplemented', `The parameter ${name} is not available.`)
  }
  const source = headers['x-amz-copy-source']
  if (source !== undefined && !isObject(`/${String(source).replace(/^\//, '')}`, bucket))
    throw new BadSignature('AccessDenied', 'Only objects of the same bucket can be copied.')
  const payload = headers['x-amz-content-sha256']
  if (payload !== undefined && !/^(?:UNSIGNED-PAYLOAD|[0-9a-f]{64})$/.test(String(payload)))
    throw new BadSignature('NotImplemented', 'A body must be signed as a whole.')
}

const listParameters = new Set(['list-type', 'prefix', 'continuation-token'])

/** Whether a request lists objects of one workspace. Versions are not listed: the bucket keeps none. */
function isListOfWorkspace(names: URLSearchParams): boolean {
  return (
    names.get('list-type') === '2' && /^[a-z]+\/ws_[0-9a-f-]{36}\/[\w/-]*$/.test(names.get('prefix') ?? '')
  )
}

const partParameters = new Set(['uploads', 'uploadId', 'partNumber'])

/** Whether a request begins, continues, completes or aborts an upload in parts. The emulator names a folder by its id. */
function isStepOfUpload(method: string, names: URLSearchParams): boolean {
  const given = [...partParameters].filter((name) => names.has(name)).join(' ')
  if (given === 'uploads') return method === 'POST'
  const isId = /^[0-9a-f]{32}$/.test(names.get('uploadId') ?? '')
  if (given === 'uploadId') return isId && (method === 'POST' || method === 'DELETE')
  const isNumber = /^[1-9]\d{0,4}$/.test(names.get('partNumber') ?? '')
  return given === 'uploadId partNumber' && isId && isNumber && method === 'PUT'
}

const objectMethods = new Set(['GET', 'HEAD', 'PUT', 'DELETE'])

/** Whether the path of a request, as sent, names an object in the bucket and nothing outside it. */
function isObject(path: string, bucket: string): boolean {
  // A URL parser would change backslashes, spaces and control characters, so paths with them are refused.
  if (!path.startsWith(`/${bucket}/`) || !/^[\w\-.~!$&'()*+,;=:@%/]+$/.test(path)) return false
  const segments = path.slice(bucket.length + 2).split('/')
  return segments.every((segment) => {
    const name = attempted(() => decodeURIComponent(segment))
    // The emulator keeps the metadata of an object in files next to it, with `._S3rver_` in their names.
    return name !== undefined && !/^\.{0,2}$|[/\\\p{Cc}]|\._S3rver_/u.test(name)
  })
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
    name.startsWith('response-content-') ||
    name === 'response-cache-control' ||
    (isBatchDelete && name === 'delete')
  )
}
