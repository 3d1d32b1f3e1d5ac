import { escapeHtml } from '#kernel/escape-html.ts'
import type { Verification } from '#signing/sealing/verify-schema.ts'
import type { SigningLanguage } from '#signing/signer/consent.ts'
import { frame, momentOf, quoted } from './page-frame.ts'
import { pageTexts } from './page-texts.ts'
import { verifyScript } from './verify-script.ts'

/** The query: a digest with its answer, or a text that is not a digest. */
export type Asked = { sha256: string; answer?: Verification }

/**
 * The page on which anybody verifies a sealed file (S9). The script computes the digest of a chosen file; without it the
 * digest is entered by hand. In both cases the form sends only the digest.
 */
export function verifyPage(asked: Asked | undefined, language: SigningLanguage): string {
  const text = pageTexts[language]
  const isMalformed = asked !== undefined && asked.answer === undefined
  const fault = isMalformed ? `\n<span class="fault-text" id="sha256-fault">${text.malformed}</span>` : ''
  const invalid = isMalformed ? ' aria-invalid="true"' : ''
  const describedBy = `sha256-hint${isMalformed ? ' sha256-fault' : ''}`
  const content = `${asked?.answer === undefined ? '' : `${answer(asked.answer, asked.sha256, language)}\n`}<p>${text.verifyIntro}</p>
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
<span class="hint" id="sha256-hint">${text.byHandHint}</span>${fault}
<input type="text" id="sha256" name="sha256" value="${escapeHtml(asked?.sha256 ?? '')}" aria-describedby="${describedBy}"${invalid} autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="64" required></div>
<button>${text.check}</button>
</form></details>
</section>`
  const title = isMalformed ? `${text.faultPrefix}: ${text.verifyTitle}` : text.verifyTitle
  return frame({ language, heading: text.verifyTitle, title, content, script: verifyScript })
}

/** The page that reports an error. The digest is the only input, so a malformed request has a malformed digest. */
export function verifyErrorPage(status: number, language: SigningLanguage): string {
  if (status === 400) return verifyPage({ sha256: '' }, language)
  const text = pageTexts[language]
  const [heading = ''] = text.failed
  return frame({ language, heading, content: `<div class="note"><p>${text.verifyFailed}</p></div>` })
}

function answer(verification: Verification, sha256: string, language: SigningLanguage): string {
  const text = pageTexts[language]
  const digest = `<p class="soft">SHA-256: <code>${escapeHtml(sha256)}</code></p>`
  if (!verification.known)
    return `<div class="note fault" role="status"><h2>${text.unknown}</h2>\n<p>${text.unknownText}</p>\n${digest}</div>`
  const { office, envelope, document, signers } = verification
  // The reader may be anywhere: times are in the time zone of the office's country.
  const at = (moment: string) => momentOf(moment, language, 'Europe/Berlin')
  const names = signers.map(
    ({ name, signed_at }) => `<dd>${quoted(name)}<br><small>${at(signed_at)}</small></dd>`,
  )
  return `<div class="note good" role="status"><h2>${text.known}</h2>
<dl>
<dt>${text.officeOf}</dt><dd>${quoted(office.name)}<br><small>${escapeHtml(office.workspace_id)}</small></dd>
<dt>${text.titleOf}</dt><dd>${quoted(envelope.title)}</dd>
<dt>${text.file}</dt><dd>${quoted(document.filename)}</dd>
<dt>${text.completedAt}</dt><dd>${at(envelope.completed_at)}</dd>
<dt>${text.signers}</dt>${names.join('')}
</dl>
${digest}</div>`
}
