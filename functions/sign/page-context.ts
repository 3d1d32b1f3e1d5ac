import type { SigningLanguage } from '#signing/signer/consent.ts'
import type { pageTexts } from './page-texts.ts'

/** A field of a form that can be invalid; `form` is the form as a whole. */
export type FieldName = keyof (typeof pageTexts)['de']['fieldError']

/** A form that was refused: its invalid fields, and the entered values. */
type RefusedForm = { invalid: FieldName[]; fields: Record<string, string | string[]> }

/** The data that every part of a link's page needs. */
export type PageContext = {
  language: SigningLanguage
  token: string
  /** The path from the page's address to the folder of the links: `./` from the page itself, `../` from its forms. */
  root: string
  refused?: RefusedForm
}

/** The address of the page, or of a path below it. It is relative, so that it works below the path of a stage. */
export function linkTo({ root, token }: PageContext, below?: string): string {
  return `${root}${encodeURIComponent(token)}${below === undefined ? '' : `/${below}`}`
}
