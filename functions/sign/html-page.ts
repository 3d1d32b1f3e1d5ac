import { createHash } from 'node:crypto'
import { escapeHtml } from '#kernel/escape-html.ts'
import type { SigningLanguage } from '#signing/signer/consent.ts'
import { drawingScript } from './drawing-script.ts'
import { verifyScript } from './verify-script.ts'

const style = `
:root { color-scheme: light dark; --text: #16202c; --soft: #4a5766; --paper: #fff; --ground: #f2f4f7; --line: #8592a1;
  --rule: #d5dbe2; --accent: #0b4a8f; --on-accent: #fff; --error: #a3141c; --error-ground: #fdf0f0; --good: #14603a }
@media (prefers-color-scheme: dark) { :root { --text: #e9edf2; --soft: #b3bdc9; --paper: #1b222b; --ground: #12171d;
  --line: #8492a2; --rule: #36414e; --accent: #8fc1ff; --on-accent: #0b1a2c; --error: #ff9d9d; --error-ground: #3a1c1f; --good: #7fd6a5 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--text); font: 1.0625rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere }
header, main, footer { max-width: 42rem; margin: 0 auto; padding: 0 1rem }
header { padding-top: 1.5rem; color: var(--soft); font-weight: 600 }
main:first-child { padding-top: 1.5rem }
h1 { margin: .25rem 0 .5rem; font-size: 1.4rem; line-height: 1.25; text-wrap: balance; hyphens: auto }
h2 { margin: 0 0 .5rem; font-size: 1.15rem; line-height: 1.3 }
p { margin: 0 0 .75rem }
section, .note { margin: 1rem 0; padding: 1.1rem 1rem; background: var(--paper); border: 1px solid var(--rule); border-radius: .6rem }
section > :last-child, .note > :last-child { margin-bottom: 0 }
.note { border-left: .3rem solid var(--accent) }
.good { border-left-color: var(--good) }
.error { border-left-color: var(--error); background: var(--error-ground) }
.soft, small { color: var(--soft); font-size: .9375rem }
blockquote { margin: 0; white-space: pre-line }
.files { margin: 0 0 1rem; padding: 0; list-style: none }
.files li { padding: .7rem 0; border-top: 1px solid var(--rule) }
.files li:last-child { border-bottom: 1px solid var(--rule) }
.files small { display: block }
a { color: var(--accent); text-underline-offset: .15em }
.files a { display: inline-block; padding: .15rem 0; font-weight: 600 }
label, legend { display: block; padding: 0; font-weight: 600 }
.field { margin: 0 0 1.25rem }
.hint { display: block; margin: .1rem 0 .4rem; color: var(--soft); font-size: .9375rem; font-weight: 400 }
.field .error-text { display: block; margin: .1rem 0 .4rem; color: var(--error); font-weight: 600 }
input[type=text], input[type=file], textarea { width: 100%; min-height: 2.9rem; padding: .6rem .7rem; border: 1px solid var(--line);
  border-radius: .4rem; background: var(--paper); color: var(--text); font: inherit }
textarea { min-height: 6rem; resize: vertical }
input[aria-invalid], textarea[aria-invalid] { border-color: var(--error); border-width: 2px }
.consent { display: grid; grid-template-columns: auto 1fr; gap: .75rem; align-items: start; font-weight: 400 }
input[type=checkbox] { width: 1.5rem; height: 1.5rem; margin: 0; accent-color: var(--accent) }
fieldset { min-width: 0; margin: 0 0 1.25rem; padding: 0; border: 0 }
canvas { display: block; width: 100%; height: 11rem; border: 1px solid var(--line); border-radius: .4rem; background: #fff; touch-action: none; cursor: crosshair }
.tools { display: flex; flex-wrap: wrap; gap: .6rem; margin-top: .6rem }
button { min-height: 2.9rem; padding: .6rem 1.1rem; border: 1px solid var(--accent); border-radius: .4rem; background: var(--paper); color: var(--accent); font: inherit; font-weight: 600; cursor: pointer }
.main { width: 100%; background: var(--accent); color: var(--on-accent); font-size: 1.125rem }
button:disabled { border-color: var(--rule); color: var(--soft); cursor: default }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
summary { min-height: 1.75rem; color: var(--accent); font-weight: 600; cursor: pointer }
details[open] summary { margin-bottom: .75rem }
dl { margin: 0 }
dt { color: var(--soft); font-size: .9375rem }
dd { margin: 0 0 .6rem; font-weight: 600 }
code { font-size: .875rem }
footer { padding-top: .5rem; padding-bottom: 2.5rem; color: var(--soft); font-size: .9375rem }
[hidden] { display: none }
@media (min-width: 40rem) { section, .note { padding: 1.4rem 1.5rem } .main { width: auto; min-width: 16rem } h1 { font-size: 1.9rem } }
@media print { body { background: #fff } form, details { display: none } }
`

function cspHashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** The page loads nothing from other sites, and never reveals its address, which contains the token, to them. */
export const pageHeaders = headersWith(`script-src ${cspHashOf(drawingScript)}; img-src data:`)

/** The same headers for the page that verifies files, with its own script. */
export const verifyHeaders = headersWith(`script-src ${cspHashOf(verifyScript)}`)

function headersWith(policy: string): Record<string, string> {
  return {
    'Content-Security-Policy': `default-src 'none'; style-src ${cspHashOf(style)}; ${policy}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    'X-Robots-Tag': 'noindex, nofollow',
  }
}

/** A whole page. `title`, `heading` and `owner` are texts; `content` is HTML. */
export function htmlPage(page: {
  language: SigningLanguage
  heading: string
  /** The title of the page in the browser, if it differs from the heading. */
  title?: string
  /** The line above the heading: the office, and perhaps the envelope. */
  owner?: string
  content: string
  footer?: string
  script?: string
}): string {
  const { language, heading, title = heading, owner, content, footer, script } = page
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="format-detection" content="telephone=no">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
${owner === undefined ? '' : `<header><bdi>${escapeHtml(owner)}</bdi></header>\n`}<main>
<h1><bdi>${escapeHtml(heading)}</bdi></h1>
${content}
</main>
${footer === undefined ? '' : `<footer>${footer}</footer>\n`}${script === undefined ? '' : `<script>${script}</script>\n`}</body>
</html>
`
}

/** A user's text as HTML. Its writing direction does not affect the text after it. */
export function isolatedText(text: string): string {
  return `<bdi>${escapeHtml(text)}</bdi>`
}
