import * as z from 'zod'

/**
 * Kinds of deadlines by the act that is due (F13). `rechtsmittel`: a remedy or an action, `begruendung`: its reasons,
 * `notfrist`: any other Notfrist (§ 224 Abs. 1 ZPO), `other`: everything else.
 */
export const categories = ['rechtsmittel', 'begruendung', 'notfrist', 'other'] as const

export type Category = (typeof categories)[number]

export const Category = z.enum(categories)

/** German names of the categories that lists and prints highlight among ordinary deadlines (BGH IX ZB 13/19). */
export const categoryNames: Record<Exclude<Category, 'other'>, string> = {
  rechtsmittel: 'Rechtsmittelfrist',
  begruendung: 'Begründungsfrist',
  notfrist: 'Notfrist',
}
