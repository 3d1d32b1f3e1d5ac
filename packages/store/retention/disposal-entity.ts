import type { DisposalCase } from '#retention/disposal-schema.ts'
import { disposalStates } from '#retention/disposal-schema.ts'
import { dueAttributes, dueKeys } from '../due-entity.ts'
import { boolean, entity, jsonOf, listKey, nullable, number, oneOf, recordKey, text } from '../entity.ts'

/** A disposal of cases (R3). It stays for good: it is what the certificate is made from. */
export const disposalEntity = entity('disposal', listKey('newest', '${workspace_id}#disposals', '${id}'), {
  status: oneOf(disposalStates),
  cases: jsonOf<DisposalCase[]>(),
  proposed_by: text,
  proposed_at: text,
  approved_by: nullable(text),
  approved_at: nullable(text),
  withdrawn_by: nullable(text),
  withdrawn_at: nullable(text),
  begun_at: nullable(text),
  done_at: nullable(text),
  states: nullable(jsonOf<Record<string, string>>()),
  claimed_until: nullable(text),
  forgetting_since: nullable(text),
  counts: nullable(jsonOf<Record<string, number>>()),
  digest: nullable(text),
  certificate_sha256: nullable(text),
  kept_until: nullable(text),
  is_cleaned: boolean,
  /** Counts the changes. A write fails if the version has changed since it was read. */
  version: number,
})

/** The cases of the firm that are in a disposal which is neither done nor withdrawn: each is in one at most. */
export const casesInDisposal = entity('casesindisposal', recordKey('${workspace_id}#cases_in_disposal'), {
  /** The disposal of each case, by the id of the case. */
  disposals: jsonOf<Record<string, string>>(),
  version: number,
})

/** A disposal that must run, or must remove records that were kept longer than their case. */
export const dueDisposal = entity('duedisposal', dueKeys('disposals#due'), { ...dueAttributes, id: text })
