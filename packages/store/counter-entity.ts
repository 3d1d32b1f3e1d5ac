import { entity, number, optional, recordKey, text } from './entity.ts'

/** The last assigned number of a series of the workspace, such as the file numbers of a year. */
export const counterEntity = entity('counter', recordKey('${workspace_id}#counter#${series}'), {
  /** `file_number/26`; the tickets that were drawn for it are counted in `file_number/26/line` */
  series: text,
  last: number,
  /** The ticket of the line that took a number last: see `gapless-numbers.ts`. */
  served: optional(number),
})
