import { hexDigest } from '#kernel/hex-digest.ts'
import { uuidv7 } from '#kernel/id.ts'
import type { BeaDraftRecord, BeaFiles } from './draft-ports.ts'
import { BeaOrder } from './order-schema.ts'

type Named = Pick<BeaDraftRecord, 'workspace_id' | 'id'>

/**
 * The objects of a draft in the bucket: its body, and the message as it is sent. Each save writes under a new key. So
 * neither a concurrent save nor a late removal of an earlier object can delete the current one.
 */
export function draftFiles(files: BeaFiles) {
  const put = async (key: string, text: string, mimeType: string) => {
    await files.put(key, new TextEncoder().encode(text), { mimeType, sha256: hexDigest(text) })
    return key
  }
  const read = async (key: string) => new TextDecoder().decode(await files.read(key))
  const keyOf = ({ workspace_id, id }: Named, name: string) => `bea/${workspace_id}/${id}/${name}`
  return {
    readBody: async ({ body_key }: Pick<BeaDraftRecord, 'body_key'>): Promise<string> =>
      body_key === null ? '' : read(body_key),

    /** @returns the key of the body; null for an empty one */
    putBody: async (named: Named, body: string): Promise<string | null> => {
      if (body === '') return null
      return put(keyOf(named, `${uuidv7()}-${hexDigest(body)}.txt`), body, 'text/plain; charset=utf-8')
    },

    readOrder: async (key: string): Promise<BeaOrder> => BeaOrder.parse(JSON.parse(await read(key))),

    /** @returns the key of the message as it is to be sent */
    putOrder: (named: Named, order: BeaOrder): Promise<string> =>
      put(keyOf(named, `${uuidv7()}-order.json`), JSON.stringify(order), 'application/json'),

    remove: files.remove,
  }
}

export type DraftFiles = ReturnType<typeof draftFiles>
