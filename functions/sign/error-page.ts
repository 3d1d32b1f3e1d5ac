import type { ErrorPage } from '#http/declaration.ts'
import type { FailureDetail } from '#kernel/failure.ts'
import { type SigningLanguage, signingLanguages } from '#signing/signer/consent.ts'
import type { SignerView } from '#signing/signer/signer-views.ts'
import { accessCookie, type Visit } from '#signing/signer/signing-links.ts'
import { htmlPage } from './html-page.ts'
import { type FieldName, linkTo, type PageContext } from './page-context.ts'
import { pageTexts } from './page-texts.ts'
import { signerPage } from './signer-page.ts'

/** The services that error pages use. */
type ErrorPageServices = { views: { show: (visit: Visit, cookie: string | undefined) => SignerView } }

/** The facts about the caller that the public page uses. */
export const readerFacts = { languages: signingLanguages } as const

/** The facts about the caller that every endpoint of a link uses. */
export const visitorFacts = { ...readerFacts, cookie: accessCookie } as const

/**
 * The page that reports an error. `root` is the relative path from the endpoint's address to the folder of the links.
 */
export function errorPageAt(root: string): ErrorPage<ErrorPageServices, typeof visitorFacts, Visit> {
  return ({ views }, { code, status, details = [] }, { actor, params, fields, caller }) => {
    const { language, cookie } = caller
    const context: PageContext = { language, token: params.token ?? '', root }
    const view = actor && views.show(actor, cookie)
    if (status === 422 && view !== undefined)
      return signerPage(view, { ...context, refused: { invalid: invalidFieldsOf(details), fields } })
    const text = pageTexts[language]
    const known = code === 'SIGNING_LINK_ENDED' ? endOf(view, language) : text.errorPage[code]
    const [heading = '', advice = ''] = known ?? text.failed
    const hasPage = actor !== undefined && status !== 410 && code !== 'SIGNING_LINK_LOCKED'
    const back = hasPage ? `\n<p><a href="${linkTo(context)}">${text.back}</a></p>` : ''
    // Before the access code is entered, the envelope is not shown.
    const about =
      view === undefined || view.state === 'code' ? {} : { owner: `${view.office} · ${view.title}` }
    return htmlPage({
      language,
      ...about,
      heading,
      content: `<div class="note"><p>${advice}</p>${back}</div>`,
    })
  }
}

/** How the envelope ended, as far as the visitor may know. */
function endOf(view: SignerView | undefined, language: SigningLanguage): string[] {
  const text = pageTexts[language]
  if (view === undefined || view.state === 'code') return text.ended
  const { state } = view
  if (state === 'declined') return view.has_declined ? text.declinedByYou : text.declined
  if (state === 'voided' || state === 'expired' || state === 'over') return text[state]
  return text.ended
}

function invalidFieldsOf(details: readonly FailureDetail[]): FieldName[] {
  const names = details.map(({ path }) => fieldNames.find((name) => path === `body.${name}`) ?? 'form')
  return names.length === 0 ? ['form'] : [...new Set(names)]
}

const fieldNames = ['name', 'consent', 'signature', 'reason', 'code'] as const satisfies FieldName[]
