import type { Actor } from '#kernel/actor.ts'
import { timestamp } from '#kernel/clock.ts'
import { invalid, required, unknownAt } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import { type CaseDeps, caseLookups } from './lookups.ts'
import type { CaseRecord } from './ports.ts'
import type { CaseLink, CaseLinkInput } from './schema.ts'

/** Links between cases (C7). */
export function caseLinks(deps: CaseDeps) {
  const { store, clock } = deps
  const { requireCase, entry } = caseLookups(deps)

  return {
    /** Links of the case, newest first (C7). @throws Failure CASE_NOT_FOUND */
    async links(actor: Actor, id: string, page: PageRequest): Promise<Page<CaseLink>> {
      await requireCase(actor, id)
      return store.links(actor.workspace_id, id, page)
    },

    /** Links two cases (C7). @throws Failure CASE_NOT_FOUND, LINK_EXISTS, VALIDATION_ERROR for a link to itself */
    async link(actor: Actor, id: string, input: CaseLinkInput): Promise<Answered<CaseLink>> {
      const [here, found] = await Promise.all([
        requireCase(actor, id),
        store.find(actor.workspace_id, input.case_id),
      ])
      const there = required(found, 'CASE_NOT_FOUND', unknownAt('body.case_id', input.case_id))
      if (input.case_id === id) {
        throw invalid('A case cannot be linked to itself.', [
          { path: 'body.case_id', message: 'Name another case.' },
        ])
      }
      const link = {
        id: newId('link'),
        case_id: id,
        linked_case_id: input.case_id,
        type: input.type,
        note: input.note,
        created_at: timestamp(clock),
      }
      const linked = (other: CaseRecord) =>
        entry(actor, other, 'link.created', `Verknüpft mit Akte ${other.file_number} „${other.name}“`, {
          type: 'link',
          id: link.id,
        })
      const timeline = [
        { case_id: id, entry: linked(there) },
        { case_id: there.id, entry: linked(here) },
      ]
      return store.addLink(actor.workspace_id, { record: link, timeline, answer: link })
    },

    /** Removes a link from both cases. @throws Failure CASE_NOT_FOUND, LINK_NOT_FOUND */
    async unlink(actor: Actor, id: string, linkId: string): Promise<void> {
      const here = await requireCase(actor, id)
      const link = required(await store.link(actor.workspace_id, id, linkId), 'LINK_NOT_FOUND')
      const there = await store.find(actor.workspace_id, link.linked_case_id)
      const unlinked = (other: { id: string; file_number: string } | undefined) =>
        entry(actor, { id }, 'link.removed', `Verknüpfung mit Akte ${other?.file_number ?? ''} aufgehoben`, {
          type: 'link',
          id: linkId,
        })
      await store.removeLink(actor.workspace_id, link, [
        { case_id: link.case_id, entry: unlinked(there) },
        { case_id: link.linked_case_id, entry: unlinked(here) },
      ])
    },
  }
}
