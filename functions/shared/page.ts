import { createHash } from 'node:crypto'
import type { SharedDocuments } from '#correspondence/shared-link-page.ts'
import { escapeHtml } from '#kernel/escape-html.ts'
import { sizeText, timeText } from '../size-and-time.ts'

/** The languages of the pages; German if the reader prefers neither. */
export const languages = ['de', 'en'] as const

type Language = (typeof languages)[number]

const style = `
body { margin: 0 auto; padding: 2rem 1rem; max-width: 40rem; color: #111; background: #fff;
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.4rem }
ul { padding: 0; list-style: none; border-top: 1px solid #bbb }
li { display: flex; gap: 1rem; justify-content: space-between; padding: .75rem 0; border-bottom: 1px solid #bbb }
a { color: #0b3d91 }
li span { white-space: nowrap; color: #444 }
p { color: #444 }
`

const styleHash = createHash('sha256').update(style).digest('base64')

/** The pages load nothing from other sites, and never reveal their address, which is the secret, to another site. */
export const pageHeaders = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'X-Robots-Tag': 'noindex, nofollow',
}

const texts = {
  de: {
    title: (office: string) => `Dokumente von ${office}`,
    until: (moment: string) => `Sie können diese Dokumente bis zum ${moment} herunterladen.`,
    recorded: 'Die Kanzlei sieht, wann ein Dokument heruntergeladen wurde.',
    none: 'Die Kanzlei hat diese Dokumente gelöscht.',
    missing: 'Nicht gefunden',
    advice:
      'Dieser Link ist unbekannt oder abgelaufen, oder das Dokument wurde gelöscht. Bitten Sie die Kanzlei um einen neuen.',
    failed: 'Das hat nicht geklappt',
    again: 'Bitte versuchen Sie es in einigen Minuten noch einmal.',
  },
  en: {
    title: (office: string) => `Documents from ${office}`,
    until: (moment: string) => `You can download these documents until ${moment}.`,
    recorded: 'The office can see when a document was downloaded.',
    none: 'The office has deleted these documents.',
    missing: 'Not found',
    advice: 'This link is unknown or has expired, or the document was deleted. Ask the office for a new one.',
    failed: 'Something went wrong',
    again: 'Please try again in a few minutes.',
  },
}

/** The page with the documents of a link. It needs no script. */
export function sharedPage(
  { office, time_zone, expires_at, documents }: SharedDocuments,
  { token, language }: { token: string; language: Language },
): string {
  const text = texts[language]
  const until = timeText(expires_at, language, time_zone)
  const items = documents.map(({ id, filename, size_bytes }) => {
    // Relative to `/shared/{token}`, so that it works below the path of a stage.
    const href = `${encodeURIComponent(token)}/documents/${id}`
    return `<li><a href="${href}"><bdi>${escapeHtml(filename)}</bdi></a><span>${sizeText(size_bytes, language)}</span></li>`
  })
  const content =
    items.length === 0
      ? `<p>${text.none}</p>`
      : `<ul>\n${items.join('\n')}\n</ul>\n<p>${text.until(until)} ${text.recorded}</p>`
  return page(language, text.title(office), content)
}

export function errorPage(
  _services: unknown,
  { status }: { status: number },
  { caller }: { caller: { language: Language } },
): string {
  const text = texts[caller.language]
  return status === 404
    ? page(caller.language, text.missing, `<p>${text.advice}</p>`)
    : page(caller.language, text.failed, `<p>${text.again}</p>`)
}

function page(language: Language, title: string, content: string): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
${content}
</body>
</html>
`
}
