import { entity, listKey, nullable, recordKey, text } from '../entity.ts'

/** A link as one of its two cases sees it; the other case has the mirrored item under the same link id (C7). */
export const caseLink = entity('link', listKey('newest', '${workspace_id}#links#${case_id}', '${id}'), {
  linked_case_id: text,
  type: nullable(text),
  note: nullable(text),
  created_at: text,
})

/** A pair of linked cases. The item exists once for the pair, so the cases cannot be linked twice (C7). */
export const caseLinkPair = entity('linkpair', recordKey('${workspace_id}#link_pair#${pair}'), {
  link_id: text,
})
