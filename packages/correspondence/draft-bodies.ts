import { hexDigest } from '#kernel/hex-digest.ts'
import { uuidv7 } from '#kernel/id.ts'
import { draftBodyKey } from './keys.ts'
import { requireBody } from './outgoing-mail.ts'
import type { DraftRecord, MailFiles } from './ports.ts'
import type { MailHtml } from './sending-ports.ts'

type Named = Pick<DraftRecord, 'workspace_id' | 'id'>

/** Stores the bodies of drafts as clean HTML in the bucket. An empty body has no object. */
export function draftBodies({ files, html }: { files: MailFiles; html: MailHtml }) {
  return {
    /** Cleans HTML for storing and sending. @throws Failure PAYLOAD_TOO_LARGE for more than 1 MiB, VALIDATION_ERROR */
    async clean(written: string): Promise<string> {
      requireBody(written)
      const clean = await html.clean(written)
      requireBody(clean)
      return clean
    },

    read: async ({ body_key }: Pick<DraftRecord, 'body_key'>): Promise<string> =>
      body_key === null ? '' : new TextDecoder().decode(await files.read(body_key)),

    /**
     * Stores a body of the draft.
     *
     * @param current the key of the current body. It is returned if the body is the same
     * @returns the key of the body; null for an empty one
     */
    async store(named: Named, clean: string, current: string | null = null): Promise<string | null> {
      if (clean === '') return null
      const sha256 = hexDigest(clean)
      if (current?.endsWith(`-${sha256}.html`)) return current
      const key = draftBodyKey(named, { id: uuidv7(), sha256 })
      await files.put(key, new TextEncoder().encode(clean), { mimeType: 'text/html; charset=utf-8', sha256 })
      return key
    },
  }
}

export type DraftBodies = ReturnType<typeof draftBodies>
