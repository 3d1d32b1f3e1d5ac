import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { BucketPrefix, Needs } from '#functions/declaration.ts'
import { functionOf } from './function-header.ts'
import type { Store } from './s3-store.ts'
import { BadSignature } from './signature.ts'

/** The rights of each function to objects of the bucket, by its name. */
export type BucketRights = Readonly<Record<string, Needs['bucket']>>

type Serve = (request: IncomingMessage, response: ServerResponse) => void

// CommonJS without types.
const S3Error = createRequire(import.meta.url)('@20minutes/s3rver/lib/models/error') as new (
  code: string,
  message: string,
) => Error

/**
 * Serves requests as `serve` does, but answers functions as IAM and S3 do on AWS. If the function has no right to do this
 * with the object, the answer is 403 `AccessDenied`, with a line in the log. It is 403 also if a function reads an object
 * that does not exist, because no function has the right `s3:ListBucket`.
 *
 * @returns `serve`, which throws BadSignature
 */
export function withRights(
  store: Store,
  { bucket, rights }: { bucket: string; rights: BucketRights },
  serve: Serve,
): Serve {
  const served = new AsyncLocalStorage<IncomingMessage>()
  const { existsObject, getObject } = store

  // Each deletion asks for its objects. The keys of a deletion of several objects are in its body.
  store.existsObject = async (name, key) => {
    const request = served.getStore()
    const isDeletion = request?.method === 'DELETE' || request?.method === 'POST'
    const refusal = isDeletion && refusalOf(functionOf(request), rights, 'delete', key)
    if (refusal) throw new S3Error('AccessDenied', refusal)
    return existsObject.call(store, name, key)
  }
  store.getObject = async (...call) => {
    const object = await getObject.apply(store, call)
    const request = served.getStore()
    if (object === null && request !== undefined && functionOf(request) !== undefined)
      throw new S3Error('AccessDenied', 'Access Denied')
    return object
  }

  return (request, response) => {
    for (const [action, key] of Object.entries(actionsOf(request, bucket))) {
      const refusal = refusalOf(functionOf(request), rights, action as Action, key)
      if (refusal) throw new BadSignature('AccessDenied', refusal)
    }
    served.run(request, serve, request, response)
  }
}

/** An action of a function on objects. To list them, it needs `erase`. */
type Action = 'read' | 'write' | 'parts' | 'delete' | 'erase'

/** The actions of a request, each with its object. A deletion is checked later. */
function actionsOf(
  { method, url = '', headers }: IncomingMessage,
  bucket: string,
): Partial<Record<Action, string>> {
  const { pathname, searchParams } = new URL(url, 'http://s3')
  const key = pathname.slice(`/${bucket}/`.length)
  const isOfUpload = searchParams.has('uploads') || searchParams.has('uploadId')
  if (method === 'GET' || method === 'HEAD')
    return key === '' ? { erase: searchParams.get('prefix') ?? '' } : { read: key }
  if (method === 'DELETE' || searchParams.has('delete')) return isOfUpload ? { parts: key } : {}
  const source = headers['x-amz-copy-source']?.toString().replace(/^\/?[^/]+\//, '')
  return { ...(source && { read: source }), ...(isOfUpload && { parts: key }), write: key }
}

/** @returns the reason why the function may not do this, after logging it; undefined if it may */
function refusalOf(
  name: string | undefined,
  rights: BucketRights,
  action: Action,
  key: string,
): string | undefined {
  if (name === undefined) return undefined
  const [prefix = ''] = key.split('/')
  const granted = rights[name]?.[prefix as BucketPrefix] ?? []
  if (granted.includes(action) || (action === 'delete' && granted.includes('erase'))) return undefined
  const refusal = `The function ${name} lacks the right "${action}" to ${prefix}/*: its needs.bucket does not name it.`
  console.error(refusal)
  return refusal
}
