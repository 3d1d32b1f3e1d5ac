import { entity, listKey, number, text } from '../entity.ts'

/** How many cases of a year and a type a firm has disposed of. It stays for good, and names nobody. */
export const disposedCasesEntity = entity(
  'disposedcases',
  listKey('byYear', '${workspace_id}#disposed_cases', '${year}#${type}'),
  {
    /** The year of the closing, in the firm's time zone. */
    year: text,
    /** Empty for cases that are counted without a type. */
    type: text,
    cases: number,
  },
)
