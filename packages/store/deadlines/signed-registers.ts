import { randomUUID } from 'node:crypto'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import type { SignedRegisterStore } from '#deadlines/ports.ts'
import { KeyHasAnswer } from '#kernel/idempotency.ts'
import { eraseEach, putEach } from '../batch.ts'
import { positionOf } from '../chain-page.ts'
import { allPages, type Db, strongly } from '../db.ts'
import { put, retryStale, Stale, transact } from '../transact.ts'
import { signedRegister, signedRegisterPiece } from './signed-register-entity.ts'

/**
 * Signed registers: the content first, in pieces under an id of their own, then the item that names it. A version whose
 * number another signer took is written again with the next.
 */
export function signedRegisters(db: Db): SignedRegisterStore {
  const versions = signedRegister(db)
  const pieces = signedRegisterPiece(db)

  const newest = async (workspace_id: string, day: string) => {
    const { data } = await versions.query
      .versions({ workspace_id, day })
      .go({ order: 'desc', limit: 1, ...strongly })
    return data[0]
  }

  return {
    last: async (workspaceId, day) => (await newest(workspaceId, day))?.signature,

    sign: (workspace_id, day, make) =>
      retryStale(async () => {
        const { signature, parts, answer } = await make((await newest(workspace_id, day))?.signature)
        const content_id = randomUUID()
        const content = parts.flatMap((part, number) =>
          piecesOf(part).map((base64, index) => ({
            workspace_id,
            content_id,
            position: `${positionOf(number + 1)}#${positionOf(index)}`,
            base64,
          })),
        )
        const removed = () => eraseEach(db, content, (piece) => pieces.delete(piece))
        await putEach(db, content, (piece) => pieces.put(piece))
        const position = positionOf(signature.version)
        const version = { workspace_id, day, position, signature, content_id, parts: parts.length }
        try {
          return await transact(db, [put(versions.create(version))], { answer })
        } catch (error) {
          // Of any other error it is unknown whether the version was written.
          if (error instanceof Stale || error instanceof KeyHasAnswer) await removed()
          throw error
        }
      }),

    part: async (workspace_id, day, version, part) => {
      const { data } = await versions.get({ workspace_id, day, position: positionOf(version) }).go(strongly)
      if (data === null || part > data.parts) return undefined
      const found = await pieces.query
        .pieces({ workspace_id, content_id: data.content_id })
        .begins({ position: `${positionOf(part)}#` })
        .go(allPages)
      const bytes = Buffer.concat(found.data.map(({ base64 }) => Buffer.from(base64, 'base64')))
      const content = JSON.parse(brotliDecompressSync(bytes).toString('utf8'))
      return { content, signature: data.signature, isLast: part === data.parts }
    },
  }
}

/** An item holds at most 400 KB; base64 makes four characters of three bytes. */
const maxPieceBytes = 270_000

function piecesOf(part: unknown): string[] {
  const bytes = brotliCompressSync(JSON.stringify(part), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 5 },
  })
  const count = Math.ceil(bytes.length / maxPieceBytes)
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * maxPieceBytes, (index + 1) * maxPieceBytes).toString('base64'),
  )
}
