import type { Actor } from '#kernel/actor.ts'
import { conflict, required } from '#kernel/failure.ts'
import type { DisposalStore } from './disposal-ports.ts'
import { certificateOf } from './disposals.ts'

export type DisposalCertificates = ReturnType<typeof disposalCertificateService>

/** The certificates of disposals that have ended (R4). */
export function disposalCertificateService(deps: {
  disposals: Pick<DisposalStore, 'find'>
  /** The bytes of a sealed certificate. */
  stream: (key: { workspace_id: string; id: string; sha256: string }) => Promise<AsyncIterable<Uint8Array>>
}) {
  const { disposals, stream } = deps
  return {
    /** The certificate as JSON, or as a sealed PDF. @throws Failure DISPOSAL_NOT_FOUND, DISPOSAL_NOT_DONE */
    async file({ workspace_id }: Actor, id: string, form: 'json' | 'pdf') {
      const record = required(await disposals.find(workspace_id, id), 'DISPOSAL_NOT_FOUND')
      const sha256 = record.certificate_sha256
      if (record.status !== 'done' || sha256 === null)
        throw conflict('DISPOSAL_NOT_DONE', 'This disposal is not done: there is no certificate yet.')
      if (form === 'pdf')
        return {
          filename: `Vernichtungsnachweis ${id}.pdf`,
          mimeType: 'application/pdf',
          open: () => stream({ workspace_id, id, sha256 }),
        }
      const bytes = new TextEncoder().encode(JSON.stringify(certificateOf(record)))
      return {
        filename: `Vernichtungsnachweis ${id}.json`,
        mimeType: 'application/json; charset=utf-8',
        open: async () => inOnePart(bytes),
      }
    },
  }
}

async function* inOnePart(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
