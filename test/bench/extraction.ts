import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { TextractClient } from '@aws-sdk/client-textract'
import { extract } from '#extraction/extract.ts'
import { cleanText, joinBrokenWords } from '#extraction/german-text.ts'
import type { Ocr } from '#extraction/ocr.ts'
import { textractOcr } from '#extraction/textract.ts'
import { corpus, corpusFile } from '#test/support/corpus.ts'
import { median, type Part, type Row, round, type Target } from './report.ts'

const minRecall = 0.99
const millisecondsEach = 1_000

/** Files of the corpus to read again and again: of each format one, and what is read by machine. */
const files = [
  'akte.pdf',
  'schriftsatz.pdf',
  'schriftsatz.docx',
  'schriftsatz.doc',
  'brief-utf8.txt',
  'scan.png',
]

/** How many pages a second are read, and which words that another program finds in the corpus are among them. */
export async function measureExtraction(): Promise<Part> {
  const rows: Row[] = []
  const targets: Target[] = []
  const client = new TextractClient({})
  for (const name of files) {
    const known = corpus.files[name]
    if (known === undefined) throw new Error(`The corpus has no ${name}.`)
    const ocr = textractOcr(client, { bucket: '', key: '', token: '' })
    const ours = await pagesPerSecond(known.page_count, () => text(name, ocr))
    const isComparable = name.endsWith('.pdf') && pdftotext(name) !== undefined
    const poppler = isComparable
      ? await pagesPerSecond(known.page_count, async () => pdftotext(name))
      : undefined
    rows.push({
      file: name,
      pages: known.page_count,
      'pages/s': round(ours),
      'pdftotext pages/s': poppler === undefined ? '' : round(poppler),
      ratio: poppler === undefined ? '' : (ours / poppler).toFixed(2),
    })
  }
  client.destroy()
  for (const [name, { mime_type, scanned_pages }] of Object.entries(corpus.files)) {
    if (mime_type !== 'application/pdf' || scanned_pages.length > 0) continue
    const theirs = pdftotext(name)
    if (theirs === undefined) continue
    targets.push({
      name: `words of ${name} that pdftotext finds and we find too`,
      measured: recall(
        wordsOf(await text(name, nothingScanned)),
        wordsOf(joinBrokenWords(cleanText(theirs))),
      ),
      unit: '',
      min: minRecall,
    })
  }
  return {
    title: 'Extraction: pages a second, in one process',
    method: `Medians of a second each, files in memory; pdftotext (where it is installed) is a process for each file. ${targets.length === 0 ? 'It is not installed here: nothing is said of recall. ' : ''}Pictures go through Textract, which on one machine is tesseract.`,
    rows,
    targets,
  }
}

async function pagesPerSecond(pages: number, read: () => Promise<unknown>): Promise<number> {
  await read()
  const milliseconds: number[] = []
  const endsAt = performance.now() + millisecondsEach
  while (performance.now() < endsAt) {
    const startedAt = performance.now()
    await read()
    milliseconds.push(performance.now() - startedAt)
  }
  return (pages * 1_000) / median(milliseconds)
}

const nothingScanned: Ocr = {
  readPages: () => Promise.reject(new Error('This file has a text layer.')),
}

async function text(name: string, ocr: Ocr): Promise<string> {
  const result = await extract(corpusFile(name), corpus.files[name]?.mime_type ?? 'text/plain', { ocr })
  if ('refused' in result) throw new Error(`${name}: ${result.message}`)
  return result.text
}

/** The text that Poppler's program gives; undefined if that is not installed. */
function pdftotext(name: string): string | undefined {
  const file = fileURLToPath(new URL(`../corpus/${name}`, import.meta.url))
  const { stdout, error, status } = spawnSync('pdftotext', ['-enc', 'UTF-8', file, '-'], { encoding: 'utf8' })
  if (error !== undefined) return undefined
  if (status !== 0) throw new Error(`pdftotext cannot read ${name}.`)
  return stdout
}

/** How often each word stands in a text. */
function wordsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [word] of text.matchAll(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu))
    counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** The share of their words that are among ours, each as often as it stands there. */
function recall(ours: Map<string, number>, theirs: Map<string, number>): number {
  let [all, found] = [0, 0]
  for (const [word, count] of theirs) {
    all += count
    found += Math.min(count, ours.get(word) ?? 0)
  }
  return found / all
}
