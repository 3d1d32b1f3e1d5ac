import { entity, number, optional, recordKey } from './entity.ts'

/** The last assigned number of a series of the workspace, such as the file numbers of a year. */
export const counterEntity = entity('counter', recordKey('${workspace_id}#counter#${series}'), {
  last: number,
  /** The ticket of the line that took a number last: see `gapless-numbers.ts`. */
  served: optional(number),
})
