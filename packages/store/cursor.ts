import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { invalid } from '#kernel/failure.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import { type Db, strongly } from './db.ts'
import { secretEntity } from './secret-entity.ts'
import { put, retryStale, transact } from './transact.ts'

/** Seals and opens the cursors of lists (G7). */
export type Cursors = {
  /** A cursor for the items after `position` in the list that `binding` names. */
  seal: (binding: readonly unknown[], position: string) => Promise<string>
  /** The position of a cursor. @throws Failure 400 for a forged cursor, or one of another workspace, list or filter */
  open: (binding: readonly unknown[], cursor: string) => Promise<string>
}

/**
 * A page of a list with positions (G7).
 *
 * @param binding what a cursor of this list is valid for: workspace, list, filters
 * @param read returns up to `limit` items after a position, and the next position; undefined if nothing follows
 */
export async function pageByCursor<Item>(
  cursors: Cursors,
  binding: readonly unknown[],
  { limit, cursor }: PageRequest,
  read: (position: string | undefined, limit: number) => Promise<{ items: Item[]; next: string | undefined }>,
): Promise<Page<Item>> {
  const position = cursor === undefined ? undefined : await cursors.open(binding, cursor)
  const { items, next } = await read(position, limit)
  const sealed = next === undefined ? null : await cursors.seal(binding, next)
  return { data: items, pagination: { cursor: sealed, has_more: sealed !== null } }
}

/** Cursors signed (HMAC-SHA-256) with a secret that all functions of a stage share, kept in the table. */
export function tableCursors(db: Db): Cursors {
  const secret = cursorSecret(db)
  const sign = async (binding: readonly unknown[], position: string) => {
    return createHmac('sha256', await secret())
      .update(JSON.stringify([...binding, position]))
      .digest()
      .subarray(0, 16)
  }
  return {
    seal: async (binding, position) =>
      Buffer.concat([await sign(binding, position), Buffer.from(position)]).toString('base64url'),
    open: async (binding, cursor) => {
      const bytes = Buffer.from(cursor, 'base64url')
      const position = bytes.subarray(16).toString()
      const genuine =
        bytes.length > 16 &&
        bytes.toString('base64url') === cursor &&
        timingSafeEqual(bytes.subarray(0, 16), await sign(binding, position))
      if (genuine) return position
      throw foreignCursor()
    },
  }
}

const cipher = 'aes-256-gcm'
const [ivBytes, tagBytes] = [12, 16]

/** Cursors that callers cannot read, for positions that contain more than a caller may know. */
export function encryptedCursors(db: Db): Cursors {
  const secret = cursorSecret(db)
  const key = async () =>
    createHmac('sha256', await secret())
      .update('encrypted cursors')
      .digest()
  const boundTo = (binding: readonly unknown[]) => Buffer.from(JSON.stringify(binding))
  return {
    seal: async (binding, position) => {
      const iv = randomBytes(ivBytes)
      const encrypting = createCipheriv(cipher, await key(), iv, { authTagLength: tagBytes })
      encrypting.setAAD(boundTo(binding))
      const encrypted = [encrypting.update(position), encrypting.final()]
      return Buffer.concat([iv, encrypting.getAuthTag(), ...encrypted]).toString('base64url')
    },
    open: async (binding, cursor) => {
      const bytes = Buffer.from(cursor, 'base64url')
      const start = ivBytes + tagBytes
      if (bytes.length <= start || bytes.toString('base64url') !== cursor) throw foreignCursor()
      const iv = bytes.subarray(0, ivBytes)
      const decrypting = createDecipheriv(cipher, await key(), iv, { authTagLength: tagBytes })
      decrypting.setAAD(boundTo(binding)).setAuthTag(bytes.subarray(ivBytes, start))
      try {
        return Buffer.concat([decrypting.update(bytes.subarray(start)), decrypting.final()]).toString()
      } catch {
        throw foreignCursor()
      }
    },
  }
}

function foreignCursor() {
  return invalid('The cursor does not belong to this list with these filters.', [
    { path: 'query.cursor', message: 'Start again without a cursor.' },
  ])
}

/**
 * Reads the secret of cursors once. The sweeper creates it within a minute after a stage was deployed: functions that
 * may only read the table cannot.
 */
export function cursorSecret(db: Db): () => Promise<string> {
  let secret: Promise<string> | undefined
  return () => {
    secret ??= secretOf(db, 'cursor').catch((error: unknown) => {
      secret = undefined
      throw error
    })
    return secret
  }
}

/** The secret of this name. The first call creates it. */
async function secretOf(db: Db, name: string): Promise<string> {
  const secrets = secretEntity(db)
  return retryStale(async () => {
    const { data } = await secrets.get({ name }).go(strongly)
    if (data) return data.value
    const value = randomBytes(32).toString('base64url')
    await transact(db, [put(secrets.create({ name, value }))])
    return value
  })
}
