import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import fontkit, { type Font, type Glyph } from '@cantoo/fontkit'
import type { PDFFont } from '@cantoo/pdf-lib'
import { once } from '#kernel/once.ts'
import type { PdfUpdate } from './pdf-update.ts'

/** The fonts of a certificate in a document, and the characters that they draw. */
type Fonts = { regular: PDFFont; bold: PDFFont; characters: ReadonlySet<number> }

/** Embeds the used glyphs of each font. */
export async function embedFonts({ document }: PdfUpdate): Promise<Fonts> {
  const embed = (font: Font) => {
    document.registerFontkit({ create: () => ofOneDocument(font) })
    return document.embedFont(noBytes, { subset: true, features })
  }
  const { regular, bold, characters } = parsedFonts()
  return { regular: await embed(regular), bold: await embed(bold), characters }
}

/** pdf-lib passes these bytes to its font library, which ignores them: the font is already parsed. */
const noBytes = new Uint8Array()

/** No ligatures, which merge two letters. Kerning has no effect, because only glyphs are written. */
const features = { liga: false }

/**
 * DejaVu Sans Condensed, whose licence permits embedding and selling it as part of a work: found beside the bundle if
 * deployed, otherwise in its package.
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
 * A copy of the font with its own glyph cache; the parsed tables are shared. A glyph remembers the first character that
 * it was made for, and the text that a reader copies must not depend on another document.
 */
function ofOneDocument(parsed: Font): Font {
  const font: Font = Object.assign(Object.create(parsed), { _glyphs: {} })
  const glyphOf = (character: string): Glyph => {
    const glyph = font.glyphForCodePoint(character.codePointAt(0) ?? 0)
    if (glyph === null) throw new TypeError('The font has no glyph for missing characters.')
    return glyph
  }
  font.layout = (text, ...options) => {
    if (!independent.test(text)) return parsed.layout.call(font, text, ...options)
    return { ...parsed.layout.call(font, '', ...options), glyphs: [...text].map(glyphOf) }
  }
  return font
}

/** Text in which each character is one glyph, whatever its neighbours: most of a certificate. */
const independent = /^[\p{Lu}\p{Ll}\p{Nd}\p{P}\p{Zs}]*$/u
