import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import fontkit, { type Font, type Glyph } from '@cantoo/fontkit'
import type { PDFFont } from '@cantoo/pdf-lib'
import { once } from '#kernel/once.ts'
import type { PdfUpdate } from './pdf-update.ts'

/** The fonts of a certificate in a document, and the characters that they draw. */
export type Fonts = { regular: PDFFont; bold: PDFFont; characters: ReadonlySet<number> }

/** Embeds what is drawn with each font. */
export async function embedFonts({ document }: PdfUpdate): Promise<Fonts> {
  const embed = (font: Font) => {
    document.registerFontkit({ create: () => ofOneDocument(font) })
    return document.embedFont(noBytes, { subset: true, features })
  }
  const { regular, bold, characters } = parsedFonts()
  return { regular: await embed(regular), bold: await embed(bold), characters }
}

/** pdf-lib gives these to its font library, which has parsed the font already. */
const noBytes = new Uint8Array()

/** Ligatures would make two letters one; pairs are not moved together, since only glyphs are written. */
const features = { liga: false }

/**
 * DejaVu Sans Condensed, whose licence permits embedding and selling it as part of a work: beside the bundle where it was
 * deployed, in its package where it was not.
 */
const parsedFonts = once(() => {
  const regular = parse('DejaVuSansCondensed.ttf')
  const bold = parse('DejaVuSansCondensed-Bold.ttf')
  return { regular, bold, characters: new Set(regular.characterSet) }
})

function parse(name: string): Font {
  const deployed = new URL(name, import.meta.url)
  const { resolve } = createRequire(import.meta.url)
  const font = fontkit.create(
    readFileSync(existsSync(deployed) ? deployed : resolve(`dejavu-fonts-ttf/ttf/${name}`)),
  )
  if (font === null || !('layout' in font)) throw new TypeError(`${name} is no font.`)
  return font
}

/**
 * The font with glyphs of its own: each remembers the character that it was made for first, and what a text is copied as must
 * not depend on another document. The parsed tables are the same ones.
 */
function ofOneDocument(parsed: Font): Font {
  const font: Font = Object.assign(Object.create(parsed), { _glyphs: {} })
  const glyphOf = (character: string): Glyph => {
    const glyph = font.glyphForCodePoint(character.codePointAt(0) ?? 0)
    if (glyph === null) throw new TypeError('The font has no glyph for what it lacks.')
    return glyph
  }
  font.layout = (text, ...options) => {
    if (!independent.test(text)) return parsed.layout.call(font, text, ...options)
    return { ...parsed.layout.call(font, '', ...options), glyphs: [...text].map(glyphOf) }
  }
  return font
}

/** Text of which each character is a glyph by itself, whatever stands beside it: most of a certificate. */
const independent = /^[\p{Lu}\p{Ll}\p{Nd}\p{P}\p{Zs}]*$/u
