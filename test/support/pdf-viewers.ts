import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { type Canvas, createCanvas, type Image, loadImage } from '@napi-rs/canvas'
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'
import type { Browser } from 'playwright-core'

/**
 * A page as grey values from 0 to 255, row by row, `cellsAcross` per row: too coarse to show the edges of letters.
 */
export type PagePicture = { across: number; down: number; cells: Float64Array }

/** A program's view of a page, counted from 1: on the screen, and on paper if the program can print. */
export type Viewer = {
  screen: (pdf: Uint8Array, page: number) => Promise<PagePicture>
  paper?: (pdf: Uint8Array, page: number) => Promise<PagePicture>
}

const cellsAcross = 120

/** Poppler (Debian package `poppler-utils`). Its print is drawn from the PDF into which it prints. */
export const poppler: Viewer = {
  screen: async (pdf, page) => drawnByPoppler(pdf, page),
  paper: async (pdf, page) =>
    inFolder(pdf, (file) => {
      run('pdftocairo', ['-pdf', '-f', `${page}`, '-l', `${page}`, file, `${file}-printed`])
      return drawnByPoppler(readFileSync(`${file}-printed`), 1)
    }),
}

function drawnByPoppler(pdf: Uint8Array, page: number): Promise<PagePicture> {
  return inFolder(pdf, async (file) => {
    const pages = ['-f', `${page}`, '-l', `${page}`, '-singlefile']
    run('pdftoppm', ['-png', '-r', '72', ...pages, file, file])
    return pictureOf(await loadImage(readFileSync(`${file}.png`)))
  })
}

const pdfjs = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'))

/** pdf.js, as Firefox has it. */
export const pdfJs: Viewer = {
  screen: (pdf, page) => drawnByPdfJs(pdf, page, 'display'),
  paper: (pdf, page) => drawnByPdfJs(pdf, page, 'print'),
}

async function drawnByPdfJs(
  pdf: Uint8Array,
  number: number,
  intent: 'display' | 'print',
): Promise<PagePicture> {
  const loading = getDocument({
    data: new Uint8Array(pdf),
    standardFontDataUrl: `${pdfjs}/standard_fonts/`,
    wasmUrl: `${pdfjs}/wasm/`,
    verbosity: 0,
  })
  try {
    const page = await (await loading.promise).getPage(number)
    const viewport = page.getViewport({ scale: 1 })
    const canvas = createCanvas(Math.round(viewport.width), Math.round(viewport.height))
    const drawn = canvas as unknown as Parameters<typeof page.render>[0]['canvas']
    await page.render({ canvas: drawn, viewport, intent }).promise
    return pictureOf(canvas)
  } finally {
    await loading.destroy()
  }
}

/** Chromium's viewer on the screen. Its print of a PDF is not available without a window. */
export function chromiumOf(browser: Browser): Viewer {
  return {
    screen: (pdf, page) =>
      inFolder(pdf, async (file) => {
        const tab = await browser.newPage({ viewport: { width: 1_200, height: 900 } })
        try {
          await tab.goto(`${pathToFileURL(file).href}#page=${page}&toolbar=0&navpanes=0&view=Fit`)
          return await settledPage(() => tab.screenshot())
        } finally {
          await tab.close()
        }
      }),
  }
}

/** The page in the picture of a window, once the picture no longer changes. */
async function settledPage(shoot: () => Promise<Buffer>): Promise<PagePicture> {
  let before: Buffer = Buffer.alloc(0)
  for (let turn = 0; turn < 100; turn += 1) {
    await sleep(200)
    const shot = await shoot()
    const page = shot.equals(before) ? pageIn(await loadImage(shot)) : undefined
    if (page !== undefined) return pictureOf(page)
    before = shot
  }
  throw new Error('Chromium shows no page.')
}

/** A page on a dark desk: the longest stretch of rows with light pixels, between the outermost of them. */
function pageIn(picture: Image): Canvas | undefined {
  const { width, height } = picture
  const whole = createCanvas(width, height)
  whole.getContext('2d').drawImage(picture, 0, 0)
  const { data } = whole.getContext('2d').getImageData(0, 0, width, height)
  const isLight = (x: number, y: number) => (data[4 * (y * width + x)] ?? 0) >= 250
  const columns = Array.from({ length: width }, (_, x) => x)
  let [top, rows, stretch] = [0, 0, 0]
  for (let y = 0; y < height; y += 1) {
    stretch = columns.some((x) => isLight(x, y)) ? stretch + 1 : 0
    if (stretch > rows) [top, rows] = [y - stretch + 1, stretch]
  }
  if (rows < 100) return undefined
  const hasLight = (x: number) => Array.from({ length: rows }, (_, y) => top + y).some((y) => isLight(x, y))
  const [left, right] = [columns.findIndex(hasLight), columns.findLastIndex(hasLight)]
  const page = createCanvas(right - left + 1, rows)
  page.getContext('2d').drawImage(whole, -left, -top)
  return page
}

/** The mean grey of each cell. */
function pictureOf(picture: Canvas | Image): PagePicture {
  const { width, height } = picture
  const canvas = createCanvas(width, height)
  const context = canvas.getContext('2d')
  context.fillStyle = 'white'
  context.fillRect(0, 0, width, height)
  context.drawImage(picture, 0, 0)
  const { data } = context.getImageData(0, 0, width, height)
  const [across, down] = [cellsAcross, Math.round((cellsAcross * height) / width)]
  const [cells, counts] = [new Float64Array(across * down), new Float64Array(across * down)]
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = 4 * (y * width + x)
      const cell = Math.floor((y * down) / height) * across + Math.floor((x * across) / width)
      const grey = ((data[at] ?? 0) + (data[at + 1] ?? 0) + (data[at + 2] ?? 0)) / 3
      cells[cell] = (cells[cell] ?? 0) + grey
      counts[cell] = (counts[cell] ?? 0) + 1
    }
  }
  return { across, down, cells: cells.map((sum, cell) => sum / (counts[cell] || 1)) }
}

/**
 * The largest difference between two pictures of a page, from 0 to 255. Each cell is compared with the most similar
 * cell around its place in the other picture: programs place letters differently by a fraction of a cell.
 */
export function differenceOf(one: PagePicture, other: PagePicture): number {
  if (Math.abs(one.down - other.down) > 2) return 255
  return Math.max(farthest(one, other), farthest(other, one))
}

function farthest(from: PagePicture, to: PagePicture): number {
  let largest = 0
  for (let y = 0; y < from.down; y += 1) {
    for (let x = 0; x < from.across; x += 1) {
      const grey = from.cells[y * from.across + x] ?? 255
      let [lightest, darkest] = [0, 255]
      for (let near = 0; near < 9; near += 1) {
        const [nearX, nearY] = [x + (near % 3) - 1, y + Math.floor(near / 3) - 1]
        if (nearX < 0 || nearY < 0 || nearX >= to.across || nearY >= to.down) continue
        const there = to.cells[nearY * to.across + nearX] ?? 255
        lightest = Math.max(lightest, there)
        darkest = Math.min(darkest, there)
      }
      largest = Math.max(largest, darkest - grey, grey - lightest)
    }
  }
  return largest
}

async function inFolder<Result>(pdf: Uint8Array, work: (file: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'viewer-'))
  try {
    const file = join(folder, 'document.pdf')
    writeFileSync(file, pdf)
    return await work(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function run(program: string, options: string[]): void {
  const { status, stderr } = spawnSync(program, options)
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`)
}
