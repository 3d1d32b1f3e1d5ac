/** Why a PDF may show something else to another reader, on paper or later. */
export const changingReasons = [
  /** Something stands on the screen and not on paper, or the other way round. */
  'differs_on_paper',
  /** A field or a note that each reader draws in its own way, or whose value is not what is drawn. */
  'drawn_by_reader',
  /** It runs scripts, starts programs, sends or changes forms, or shows and hides parts. */
  'acts',
  /** Parts that can be shown and hidden. */
  'layers',
  /** Parts that lie outside of the file. */
  'external_parts',
  /** Films, sounds, models, or a collection of files in place of pages. */
  'media',
  /** A form that only Adobe's programs show (XFA): its pages are drawn anew from data at each opening. */
  'dynamic_form',
] as const

export type ChangingReason = (typeof changingReasons)[number]
