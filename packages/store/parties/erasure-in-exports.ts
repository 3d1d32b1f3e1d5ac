import { isDeepStrictEqual } from 'node:util'
import type { ExportConfigRecord, ExportConfigStore } from '#exports/config-ports.ts'
import { everyItem } from '#kernel/every-item.ts'
import type { Redact, Redacting, WholeStep } from '#parties/erasure-ports.ts'
import { allPages, type Db } from '../db.ts'
import { deletedExportConfig } from '../exports/export-config-entity.ts'
import { withoutNulls } from '../nulls.ts'
import { redactedAt } from '../retention/case-texts.ts'

/**
 * The step that takes a party out of the texts of the export configurations that select it, deleted ones too. They go on
 * selecting its id: without it they would select the records of all parties.
 */
export function erasureInExports(deps: {
  db: Db
  configs: Pick<ExportConfigStore, 'page' | 'change'>
  withoutParty: Redacting
}): WholeStep {
  const { db, configs, withoutParty } = deps
  const deleted = deletedExportConfig(db)

  return async (party) => {
    const { workspace_id, id: party_id } = party
    const redact = withoutParty(party, { familyName: true })
    for await (const { id, filters } of everyItem((request) => configs.page(workspace_id, request)))
      if (filters.party_id === party_id)
        await configs.change(workspace_id, id, (before) => {
          const texts = textsWithout(before, redact)
          if (
            Object.entries(texts).every(([name, text]) =>
              isDeepStrictEqual(text, before[name as keyof Texts]),
            )
          )
            return { answer: undefined }
          return { record: { ...before, ...texts, version: before.version + 1 }, answer: undefined }
        })
    const { data } = await deleted.query.newest({ workspace_id }).go(allPages)
    for (const { id, filters, name, description = null, columns = null } of data)
      if (filters.party_id === party_id) {
        const texts = textsWithout({ name, description, columns }, redact)
        await deleted.patch({ workspace_id, id }).set(withoutNulls(texts)).go()
      }
    return undefined
  }
}

type Texts = Pick<ExportConfigRecord, 'name' | 'description' | 'columns'>

function textsWithout({ name, description, columns }: Texts, redact: Redact): Texts {
  return {
    name: redact(name),
    description: description && redact(description),
    columns: redactedAt(columns, ['label'], redact) as Texts['columns'],
  }
}
