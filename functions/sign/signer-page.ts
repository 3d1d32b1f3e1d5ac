import { escapeHtml } from '#kernel/escape-html.ts'
import type { OfferedFile, SignerView } from '#signing/signer/signer-views.ts'
import { unmergedWords } from '#signing/signer/unmerged-schema.ts'
import { sizeText, timeText } from '../size-and-time.ts'
import { drawingScript } from './drawing-script.ts'
import { htmlPage, isolatedText } from './html-page.ts'
import { linkTo, type PageContext } from './page-context.ts'
import { pageTexts } from './page-texts.ts'
import { codeForm, declineForm, errorSummary, signForm } from './signer-forms.ts'

type FullView = Exclude<SignerView, { state: 'code' }>

/** The page of a magic link (S6). It needs no script. */
export function signerPage(view: SignerView, context: PageContext): string {
  const text = pageTexts[context.language]
  if (view.state === 'code') {
    const content = codeForm(view.remaining_attempts, context)
    return htmlPage({ language: context.language, heading: text.code, content, footer: text.footer })
  }
  const heading = view.title
  const owner = view.office
  const title = `${context.refused ? `${text.errorPrefix}: ` : ''}${heading} – ${owner}`
  const content = contentOf(view, context)
  return htmlPage({ language: context.language, heading, title, owner, ...content, footer: text.footer })
}

function contentOf(view: FullView, context: PageContext): { content: string; script?: string } {
  const text = pageTexts[context.language]
  const { time_zone } = view
  const at = (moment: string) => timeText(moment, context.language, time_zone)
  const parts = (...all: string[]) => ({ content: all.filter((part) => part !== '').join('\n') })
  switch (view.state) {
    case 'unopened':
      return parts(
        errorSummary(context),
        request(view, context),
        message(view, context),
        openForm(view, context),
        meaning(context),
        nextSteps(view, context),
        declineForm(view, context),
      )
    case 'open':
      return {
        ...parts(
          errorSummary(context),
          request(view, context),
          message(view, context),
          documents(view, context),
          meaning(context),
          signForm(view, context),
          nextSteps(view, context),
          declineForm(view, context),
        ),
        script: drawingScript,
      }
    case 'signed': {
      const thanks = view.role === 'approver' ? text.approved : text.signed
      const when = view.signed_at === null ? '' : text.signedAt(at(view.signed_at))
      const progress = view.is_sealing
        ? `${text.sealing} <a href="${linkTo(context)}">${text.reload}</a>`
        : text.progress(view.signed_count, view.required_count)
      return parts(
        `<div class="note good" role="status"><h2>${thanks}</h2>\n<p>${when} ${progress}</p></div>`,
        nextSteps(view, context),
        documents(view, context),
      )
    }
    case 'waiting': {
      const mail = view.sends_emails ? ` ${text.waitingMail}` : ''
      return parts(
        `<div class="note"><h2>${text.waiting}</h2>\n<p>${text.waitingText}${mail}</p></div>`,
        message(view, context),
        nextSteps(view, context),
      )
    }
    case 'watching':
      return parts(
        `<div class="note"><h2>${text.watching}</h2>\n<p>${text.watchingText}</p></div>`,
        message(view, context),
      )
    case 'completed': {
      const until = view.copies_until === null ? '' : text.completedText(at(view.copies_until))
      return parts(
        `<div class="note good"><h2>${text.completed}</h2>\n<p>${until}</p></div>`,
        copies(view, context),
      )
    }
    default:
      return parts()
  }
}

/** The office's request to sign or approve, with the time limit and the name of the signer. */
function request({ office, role, name, expires_at, time_zone }: FullView, { language }: PageContext): string {
  const text = pageTexts[language]
  const asks = role === 'approver' ? text.asksApproval : text.asks
  const until = expires_at === null ? '' : ` ${text.until(timeText(expires_at, language, time_zone))}`
  return `<p>${asks(isolatedText(office))}${until}<br><span class="soft">${text.addressee} ${isolatedText(name)}</span></p>`
}

function message({ message, office }: FullView, { language }: PageContext): string {
  if (message === null) return ''
  const heading = pageTexts[language].messageFrom(isolatedText(office))
  return `<section><h2>${heading}</h2>\n<blockquote dir="auto">${escapeHtml(message)}</blockquote></section>`
}

/** The names of the documents, and the form that opens them. */
function openForm({ documents }: FullView, context: PageContext): string {
  const text = pageTexts[context.language]
  const items = documents.map(
    (file) =>
      `<li>${isolatedText(file.filename)}<small>${kindAndSize(file, context)}</small>${warning(file, context)}</li>`,
  )
  return `<section><h2>${text.documents}</h2>
<ul class="files">
${items.join('\n')}
</ul>
<form method="post" action="${linkTo(context, 'open')}">
<p class="soft">${text.readFirst}</p>
<button class="main">${text.openDocuments}</button>
</form></section>`
}

/** Media types that browsers show. Files of all other types are downloaded. */
const shownTypes = new Set(['application/pdf', 'image/png', 'image/jpeg', 'text/plain'])

function documents({ documents }: FullView, context: PageContext): string {
  const text = pageTexts[context.language]
  return files(text.documents, documents, 'documents', context)
}

function copies({ sealed_copies }: FullView, context: PageContext): string {
  const text = pageTexts[context.language]
  const verify = `<p class="soft">${text.verifyText} <a href="${context.root}../verify">${text.verify}</a></p>`
  return files(text.copies, sealed_copies, 'copies', context, verify)
}

function files(
  heading: string,
  offered: readonly OfferedFile[],
  folder: string,
  context: PageContext,
  below = '',
): string {
  const text = pageTexts[context.language]
  const items = offered.map((file) => {
    const href = linkTo(context, `${folder}/${file.id}`)
    const how = shownTypes.has(file.mime_type) ? text.shownInTab : text.downloaded
    const target = shownTypes.has(file.mime_type) ? ' target="_blank" rel="noopener"' : ''
    return `<li><a href="${href}"${target}>${isolatedText(file.filename)}</a><small>${kindAndSize(file, context)}, ${how}</small>${warning(file, context)}</li>`
  })
  return `<section><h2>${heading}</h2>\n<ul class="files">\n${items.join('\n')}\n</ul>${below}</section>`
}

const kindNames: Record<string, string> = {
  'application/pdf': 'PDF',
  'image/png': 'PNG',
  'image/jpeg': 'JPG',
  'image/tiff': 'TIFF',
  'text/plain': 'Text',
  'application/msword': 'Word',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'Word',
}

function kindAndSize({ mime_type, size_bytes }: OfferedFile, { language }: PageContext): string {
  const size = sizeText(size_bytes, language)
  const kind = kindNames[mime_type]
  return kind === undefined ? size : `${kind}, ${size}`
}

/** The warning that a document can look different elsewhere, with the reason. */
function warning({ unmerged = [] }: OfferedFile, { language }: PageContext): string {
  if (unmerged.length === 0) return ''
  const reasons = unmerged.map((reason) => unmergedWords[language][reason])
  return `<small class="warning">${pageTexts[language].unmerged} ${reasons.join(' ')}</small>`
}

/** The legal meaning of the signature, and the data that is recorded. */
function meaning(context: PageContext): string {
  const text = pageTexts[context.language]
  return `<section><h2>${text.meaning}</h2>\n<p>${text.meaningText}</p>\n<p>${text.recorded}</p></section>`
}

/** The next steps. If the envelope was sent without mails, no mail is promised: the stage may not send any. */
function nextSteps({ sends_emails }: FullView, { language }: PageContext): string {
  const text = pageTexts[language]
  const copies = sends_emails ? `${text.copiesByMail} ${text.copiesHere}` : text.copiesHere
  return `<section><h2>${text.next}</h2>\n<p>${text.nextText} ${copies}</p></section>`
}
