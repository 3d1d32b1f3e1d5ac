import { escapeHtml } from '#kernel/escape-html.ts'
import { consentOf } from '#signing/signer/consent.ts'
import { AccessForm, maxSignatureFieldBytes } from '#signing/signer/form-schema.ts'
import type { SignerRole } from '#signing/status-schema.ts'
import { type FieldName, linkTo, type PageContext } from './page-context.ts'
import { pageTexts } from './page-texts.ts'

/** The errors of a refused form, at the top of the page, with links to the fields. */
export function errorSummary({ refused, language }: PageContext): string {
  if (refused === undefined) return ''
  const text = pageTexts[language]
  const items = refused.invalid.map((name) => {
    const words = text.fieldError[name]
    return name === 'form' ? `<li>${words}</li>` : `<li><a href="#${name}">${words}</a></li>`
  })
  return `<div class="note error" role="alert" tabindex="-1" autofocus><h2>${text.checkInput}</h2>\n<ul>\n${items.join('\n')}\n</ul></div>`
}

/** The form for signing or approving: a name, the consent, and, if scripts run, a drawing field. */
export function signForm({ role }: { role: SignerRole }, context: PageContext): string {
  const text = pageTexts[context.language]
  const isApprover = role === 'approver'
  const hint = isApprover ? text.nameHintApproval : text.nameHint
  const checked = context.refused?.fields.consent === 'yes' ? ' checked' : ''
  return `<section><h2>${isApprover ? text.approve : text.sign}</h2>
<form id="sign" method="post" action="${linkTo(context, 'sign')}">
<input type="hidden" name="language" value="${context.language}">
${field({ name: 'name', label: text.name, hint, context, control: (attributes) => `<input type="text" ${attributes} value="${entered(context, 'name')}" autocomplete="name" maxlength="200" required>` })}
${isApprover ? '' : drawing(context)}
<div class="field">${fieldError(context, 'consent')}
<label class="consent"><input type="checkbox" ${attributesOf(context, 'consent')} value="yes"${checked} required><span>${consentOf(role, context.language)}</span></label>
</div>
<button class="main">${isApprover ? text.approveNow : text.signNow}</button>
</form></section>`
}

/** Hidden until the script reveals it. */
function drawing(context: PageContext): string {
  const text = pageTexts[context.language]
  const isRefused = context.refused?.invalid.includes('signature')
  return `<fieldset id="drawing" hidden data-max="${maxSignatureFieldBytes}" data-drawn="${text.drawn}" data-undone="${text.undone}" data-cleared="${text.cleared}">
<legend>${text.draw}</legend>
<span class="hint" id="drawing-hint">${text.drawHint}</span>
${fieldError(context, 'signature')}
<canvas id="signature" role="img" aria-label="${text.canvas}" aria-describedby="drawing-hint"></canvas>
<input type="hidden" name="signature" value="${isRefused ? '' : entered(context, 'signature')}">
<div class="tools"><button type="button" disabled>${text.undo}</button><button type="button" disabled>${text.clear}</button></div>
<span class="hint" role="status"></span>
</fieldset>`
}

export function declineForm({ role }: { role: SignerRole }, context: PageContext): string {
  const text = pageTexts[context.language]
  const isOpen = context.refused?.invalid.includes('reason') ? ' open' : ''
  return `<section><details${isOpen}><summary>${role === 'approver' ? text.declineApproval : text.decline}</summary>
<form method="post" action="${linkTo(context, 'decline')}">
${field({ name: 'reason', label: text.reason, hint: text.declineHint, context, control: (attributes) => `<textarea ${attributes} maxlength="2000" required>\n${entered(context, 'reason')}</textarea>` })}
<button>${text.declineNow}</button>
</form></details></section>`
}

/** The form for the access code. The page shows nothing else before the code is entered (S4). */
export function codeForm(remainingAttempts: number, context: PageContext): string {
  const text = pageTexts[context.language]
  // The number does not include the code that was just refused. A code that was not compared does not count.
  const isCounted = AccessForm.safeParse(context.refused?.fields).success
  const remaining = Math.max(1, remainingAttempts - (isCounted ? 1 : 0))
  return `${errorSummary(context)}
<section><form method="post" action="${linkTo(context, 'access')}">
<p>${text.codeText}</p>
${field({ name: 'code', label: text.code, hint: text.attempts(remaining), context, control: (attributes) => `<input type="text" ${attributes} autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="200" required>` })}
<button class="main">${text.codeNow}</button>
</form></section>`
}

function field(of: {
  name: FieldName
  label: string
  hint: string
  context: PageContext
  control: (attributes: string) => string
}): string {
  const { name, label, hint, context, control } = of
  return `<div class="field"><label for="${name}">${label}</label>
<span class="hint" id="${name}-hint">${hint}</span>
${fieldError(context, name)}
${control(attributesOf(context, name, `${name}-hint`))}
</div>`
}

function attributesOf(context: PageContext, name: FieldName, hint = ''): string {
  const isInvalid = context.refused?.invalid.includes(name)
  const described = [hint, isInvalid ? `${name}-error` : ''].filter((id) => id !== '').join(' ')
  const describedBy = described === '' ? '' : ` aria-describedby="${described}"`
  return `id="${name}" name="${name}"${describedBy}${isInvalid ? ' aria-invalid="true"' : ''}`
}

function fieldError(context: PageContext, name: FieldName): string {
  if (!context.refused?.invalid.includes(name)) return ''
  return `<span class="error-text" id="${name}-error">${pageTexts[context.language].fieldError[name]}</span>`
}

/** The value that was entered in a refused form. */
function entered({ refused }: PageContext, name: string): string {
  const value = refused?.fields[name]
  return typeof value === 'string' ? escapeHtml(value) : ''
}
