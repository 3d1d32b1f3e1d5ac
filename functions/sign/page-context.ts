import type { SigningLanguage } from '#signing/consent.ts'
import type { pageTexts } from './page-texts.ts'

/** What can be wrong with a form; `form`: the form as a whole. */
export type FaultName = keyof (typeof pageTexts)['de']['fault']

/** A form that was refused: what was wrong with it, and what was entered. */
export type SentForm = { faults: FaultName[]; fields: Record<string, string | string[]> }

/** Where a page of a link stands, and in which language it speaks. */
export type PageContext = {
  language: SigningLanguage
  token: string
  /** The way from the address of the page to the folder of the links: `./` from the page itself, `../` from its forms. */
  root: string
  sent?: SentForm
}

/** The address of the page or of something below it, relative, so that it works below the path of a stage. */
export function linkTo({ root, token }: PageContext, below?: string): string {
  return `${root}${encodeURIComponent(token)}${below === undefined ? '' : `/${below}`}`
}
