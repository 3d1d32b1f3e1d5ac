import type { SigningLanguage } from '#signing/signer/consent.ts'
import type { pageTexts } from './page-texts.ts'

/** The possible faults of a form; `form`: the form as a whole. */
export type FaultName = keyof (typeof pageTexts)['de']['fault']

/** A form that was refused: its faults, and the entered values. */
export type SentForm = { faults: FaultName[]; fields: Record<string, string | string[]> }

/** The address of a page of a link, and its language. */
export type PageContext = {
  language: SigningLanguage
  token: string
  /** The path from the page's address to the folder of the links: `./` from the page itself, `../` from its forms. */
  root: string
  sent?: SentForm
}

/** The address of the page or of something below it, relative, so that it works below the path of a stage. */
export function linkTo({ root, token }: PageContext, below?: string): string {
  return `${root}${encodeURIComponent(token)}${below === undefined ? '' : `/${below}`}`
}
