/** Why a PDF may show something else to another reader, on paper or later. */
export const changingReasons = [
  /** Something is only on the screen or only on paper. */
  'differs_on_paper',
  /** A field or a note that readers draw differently, or whose drawing differs from its value. */
  'drawn_by_reader',
  /** It runs scripts, starts programs, sends or changes forms, or shows and hides parts. */
  'acts',
  /** Parts that can be shown and hidden. */
  'layers',
  /** Parts outside the file. */
  'external_parts',
  /** Films, sounds, models, or a collection of files instead of pages. */
  'media',
  /** A form that only Adobe's programs show (XFA): its pages are drawn from data each time it is opened. */
  'dynamic_form',
] as const

export type ChangingReason = (typeof changingReasons)[number]
