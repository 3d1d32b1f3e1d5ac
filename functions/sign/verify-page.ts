import { escapeHtml } from '#kernel/escape-html.ts'
import type { Verification } from '#signing/sealing/verify-schema.ts'
import type { SigningLanguage } from '#signing/signer/consent.ts'
import { timeText } from '../size-and-time.ts'
import { htmlPage, isolatedText } from './html-page.ts'
import { pageTexts } from './page-texts.ts'
import { verifyScript } from './verify-script.ts'

/** A digest with its answer, or a text that is not a digest. */
type VerifyQuery = { sha256: string; answer?: Verification }

/**
 * The page on which anybody verifies a sealed file (S9). The script computes the digest of a chosen file; without it
 * the digest is entered by hand. In both cases the form sends only the digest.
 */
export function verifyPage(query: VerifyQuery | undefined, language: SigningLanguage): string {
  const text = pageTexts[language]
  const isMalformed = query !== undefined && query.answer === undefined
  const fieldError = isMalformed
    ? `\n<span class="error-text" id="sha256-error">${text.malformed}</span>`
    : ''
  const invalid = isMalformed ? ' aria-invalid="true"' : ''
  const describedBy = `sha256-hint${isMalformed ? ' sha256-error' : ''}`
  const content = `${query?.answer === undefined ? '' : `${answerNote(query.answer, query.sha256, language)}\n`}<p>${text.verifyIntro}</p>
<div class="note" id="insecure" hidden><p>${text.insecure}</p></div>
<section>
<div class="field" id="file-field" hidden data-working="${text.working}" data-failed="${text.unreadable}">
<label for="file">${text.chooseFile}</label>
<input type="file" id="file" accept="application/pdf,.pdf">
<span class="hint" id="status" role="status"></span>
</div>
<details id="by-hand" open><summary>${text.byHand}</summary>
<form method="get">
<div class="field"><label for="sha256">${text.digest}</label>
<span class="hint" id="sha256-hint">${text.byHandHint}</span>${fieldError}
<input type="text" id="sha256" name="sha256" value="${escapeHtml(query?.sha256 ?? '')}" aria-describedby="${describedBy}"${invalid} autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="64" required></div>
<button>${text.check}</button>
</form></details>
</section>`
  const title = isMalformed ? `${text.errorPrefix}: ${text.verifyTitle}` : text.verifyTitle
  return htmlPage({ language, heading: text.verifyTitle, title, content, script: verifyScript })
}

/** The page that reports an error. The digest is the only input, so a malformed request has a malformed digest. */
export function verifyErrorPage(status: number, language: SigningLanguage): string {
  if (status === 400) return verifyPage({ sha256: '' }, language)
  const text = pageTexts[language]
  const [heading = ''] = text.failed
  return htmlPage({ language, heading, content: `<div class="note"><p>${text.verifyFailed}</p></div>` })
}

function answerNote(verification: Verification, sha256: string, language: SigningLanguage): string {
  const text = pageTexts[language]
  const digest = `<p class="soft">SHA-256: <code>${escapeHtml(sha256)}</code></p>`
  if (!verification.known)
    return `<div class="note error" role="status"><h2>${text.unknown}</h2>\n<p>${text.unknownText}</p>\n${digest}</div>`
  const { office, envelope, document, signers } = verification
  // The time zone of the reader is unknown, so times are in German time.
  const at = (moment: string) => timeText(moment, language, 'Europe/Berlin')
  const names = signers.map(
    ({ name, signed_at }) => `<dd>${isolatedText(name)}<br><small>${at(signed_at)}</small></dd>`,
  )
  return `<div class="note good" role="status"><h2>${text.known}</h2>
<dl>
<dt>${text.officeOf}</dt><dd>${isolatedText(office.name)}<br><small>${escapeHtml(office.workspace_id)}</small></dd>
<dt>${text.titleOf}</dt><dd>${isolatedText(envelope.title)}</dd>
<dt>${text.file}</dt><dd>${isolatedText(document.filename)}</dd>
<dt>${text.completedAt}</dt><dd>${at(envelope.completed_at)}</dd>
<dt>${text.signers}</dt>${names.join('')}
</dl>
${digest}</div>`
}
