import type { Actor } from '#kernel/actor.ts'
import type { Clock } from '#kernel/clock.ts'
import { notFound } from '#kernel/failure.ts'
import type { Page } from '#kernel/page.ts'
import { bodyKey } from './keys.ts'
import type { CorrespondenceRecord, CorrespondenceStore, MailBody, MailFiles } from './ports.ts'
import type { Correspondence, CorrespondenceQuery, CorrespondenceSummary } from './schema.ts'
import { shownStatus } from './send-state.ts'

export type CorrespondenceService = ReturnType<typeof correspondenceService>

/** The mail of a workspace, sent and received (M6). */
export function correspondenceService({
  store,
  files,
  clock,
}: {
  store: Pick<CorrespondenceStore, 'find' | 'page'>
  files: Pick<MailFiles, 'read'>
  clock: Clock
}) {
  const summaryOf = (record: CorrespondenceRecord): CorrespondenceSummary => ({
    ...record,
    status: shownStatus(record, clock.now()),
  })

  return {
    /** A page of mails, newest first, without their bodies. */
    async list(actor: Actor, query: CorrespondenceQuery): Promise<Page<CorrespondenceSummary>> {
      const { data, pagination } = await store.page(actor.workspace_id, query)
      return { data: data.map(summaryOf), pagination }
    },

    /** @throws Failure CORRESPONDENCE_NOT_FOUND */
    async get(actor: Actor, id: string): Promise<Correspondence> {
      const record = await store.find(actor.workspace_id, id)
      if (record === undefined) throw notFound('CORRESPONDENCE_NOT_FOUND')
      const body: MailBody = JSON.parse(new TextDecoder().decode(await files.read(bodyKey(record))))
      return { ...summaryOf(record), ...body }
    },
  }
}
