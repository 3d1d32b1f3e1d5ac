import { PdfText, type PdfValue } from './pdf-syntax.ts'

/** An operation of a content stream. */
export type PdfOperation = { operator: string; operands: PdfValue[] }

/** The data about a drawing that is not in its operations. `isUsualFont`: whether a font shows each letter unchanged. */
type DrawingFrame = { box: readonly number[]; isUsualFont: (name: PdfValue | undefined) => boolean }

/**
 * Whether everybody can read the texts of a drawing. They have a usual font and a readable size, and run from left to
 * right and from the first line to the last, within the frame. Their colour differs from the background, and nothing
 * covers them. Otherwise the drawing has only areas and lines that are as wide or as high as the frame, so that none of
 * them looks like a letter.
 */
export function isPlainDrawing(
  operations: Iterable<PdfOperation>,
  { box, isUsualFont }: DrawingFrame,
): boolean {
  const frame = areaOf([
    [box[0] ?? Number.NaN, box[1] ?? Number.NaN],
    [box[2] ?? Number.NaN, box[3] ?? Number.NaN],
  ])
  if (!(widthOf(frame) >= 1 && heightOf(frame) >= 1)) return false
  let state: State = {
    matrix: unit,
    fill: 0,
    clip: frame,
    size: 0,
    font: false,
    stretch: 100,
    rise: 0,
    gap: 0,
  }
  const saved: State[] = []
  let background = 1
  let path: Point[] = []
  let isClip = false
  let [line, text, leading]: [Matrix, Matrix, number] = [unit, unit, 0]
  let shown: { x: number; y: number; size: number } | undefined
  const move = (x: number, y: number) => {
    line = product([1, 0, 0, 1, x, y], line)
    text = line
  }
  const show = (parts: readonly PdfValue[]): boolean => {
    const characters = parts.reduce<number>(
      (sum, part) => sum + (part instanceof PdfText ? part.bytes.length : 0),
      0,
    )
    if (characters === 0) return true
    const [a, b, c, d, x, y] = product(text, state.matrix)
    const size = state.size * d
    const { clip, fill, font, stretch, rise, gap } = state
    const isStraight = b === 0 && c === 0 && a > 0 && d > 0 && a / d > 0.5 && a / d < 2
    const isReadable = font && isStraight && size >= minSize && stretch >= 50 && stretch <= 200
    const isClose = Math.abs(rise) <= size / 4 && gap >= -size / 10
    const isWithin = x >= clip[0] - 1 && x <= clip[2] && y >= clip[1] - size / 4 && y <= clip[3] - size / 4
    const isSpaced = parts.every((part) => typeof part !== 'number' || (part <= 300 && part >= -5_000))
    if (!isReadable || !isClose || !isWithin || !isSpaced || !(Math.abs(fill - background) >= 0.3))
      return false
    if (shown !== undefined) {
      const isSameLine = Math.abs(y - shown.y) < shown.size * 0.1
      const isNext = isSameLine ? x >= shown.x : y <= shown.y - shown.size * 0.7
      if (!isNext) return false
    }
    // No letter is narrower. Without the widths of the font, nothing more is known about the place of the next text.
    shown = { x: x + characters * size * 0.2, y, size }
    text = product([1, 0, 0, 1, characters * state.size * 0.2, 0], text)
    return true
  }
  for (const { operator, operands } of operations) {
    const numbers = operands.map((operand) => (typeof operand === 'number' ? operand : Number.NaN))
    const [first = Number.NaN, second = Number.NaN] = numbers
    switch (operator) {
      case 'q':
        if (saved.length > maxSaved) return false
        saved.push(state)
        state = { ...state }
        break
      case 'Q':
        state = saved.pop() ?? state
        break
      case 'cm':
        state.matrix = product(matrixOf(numbers), state.matrix)
        break
      case 'g':
        state.fill = first
        break
      case 'rg':
        state.fill = (first + second + (numbers[2] ?? Number.NaN)) / 3
        break
      case 'k':
        state.fill = Math.max(
          0,
          1 - (first + second + (numbers[2] ?? Number.NaN)) / 3 - (numbers[3] ?? Number.NaN),
        )
        break
      case 'cs':
      case 'sc':
      case 'scn':
        state.fill = Number.NaN
        break
      case 'm':
      case 'l':
        path.push(placed(state.matrix, first, second))
        break
      case 're': {
        const [, , width = Number.NaN, height = Number.NaN] = numbers
        path.push(placed(state.matrix, first, second), placed(state.matrix, first + width, second + height))
        break
      }
      case 'W':
        isClip = true
        break
      case 'h':
        break
      case 'n':
        if (isClip) state.clip = common(state.clip, areaOf(path))
        ;[path, isClip] = [[], false]
        break
      case 'f':
      case 'F':
      case 'f*':
      case 'B':
      case 'B*':
      case 'b':
      case 'b*':
      case 's':
      case 'S': {
        const area = areaOf(path)
        const isLarge =
          widthOf(area) >= widthOf(frame) * 0.8 ||
          heightOf(area) >= heightOf(frame) * 0.8 ||
          path.length === 0
        if (shown !== undefined || !isLarge || isClip) return false
        if (operator !== 's' && operator !== 'S') background = state.fill
        path = []
        break
      }
      case 'BT':
        ;[line, text] = [unit, unit]
        break
      case 'Tf':
        state.font = isUsualFont(operands[0])
        state.size = second
        break
      case 'Tz':
        state.stretch = first
        break
      case 'Ts':
        state.rise = first
        break
      case 'Tc':
        state.gap = first
        break
      case 'TL':
        leading = first
        break
      case 'TD':
        leading = -second
        move(first, second)
        break
      case 'Td':
        move(first, second)
        break
      case 'T*':
        move(0, -leading)
        break
      case 'Tm':
        line = matrixOf(numbers)
        text = line
        break
      case 'Tj':
        if (!show(operands)) return false
        break
      case 'TJ':
        if (!show(Array.isArray(operands[0]) ? operands[0] : operands)) return false
        break
      case "'":
        move(0, -leading)
        if (!show(operands)) return false
        break
      default:
        if (!isWithoutEffect.has(operator)) return false
    }
  }
  return true
}

type Point = readonly [x: number, y: number]
type Area = readonly [left: number, bottom: number, right: number, top: number]
type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number]
type State = {
  matrix: Matrix
  /** Its lightness, from 0 for black to 1 for white; NaN if unknown. */
  fill: number
  clip: Area
  size: number
  font: boolean
  stretch: number
  rise: number
  gap: number
}

const unit: Matrix = [1, 0, 0, 1, 0, 0]
const maxSaved = 20
/** In points. */
const minSize = 2

/** Operators that change neither the place nor the look of a letter: line colours and styles, marks, word spacing. */
const isWithoutEffect = new Set('ET BMC BDC EMC MP DP Tw Tr G RG K CS SC SCN w J j M d i ri'.split(' '))

const unknown = Number.NaN

function matrixOf(numbers: readonly number[]): Matrix {
  const [a = unknown, b = unknown, c = unknown, d = unknown, e = unknown, f = unknown] = numbers
  return [a, b, c, d, e, f]
}

/** The matrix that applies the first one and then the second one. */
function product(first: Matrix, second: Matrix): Matrix {
  const [a, b, c, d, e, f] = first
  const [A, B, C, D, E, F] = second
  return [a * A + b * C, a * B + b * D, c * A + d * C, c * B + d * D, e * A + f * C + E, e * B + f * D + F]
}

function placed([a, b, c, d, e, f]: Matrix, x: number, y: number): Point {
  return [x * a + y * c + e, x * b + y * d + f]
}

function areaOf(points: readonly Point[]): Area {
  let [left, bottom, right, top] = [
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ]
  for (const [x, y] of points) {
    ;[left, bottom, right, top] = [
      Math.min(left, x),
      Math.min(bottom, y),
      Math.max(right, x),
      Math.max(top, y),
    ]
  }
  return [left, bottom, right, top]
}

function common([left, bottom, right, top]: Area, other: Area): Area {
  return [
    Math.max(left, other[0]),
    Math.max(bottom, other[1]),
    Math.min(right, other[2]),
    Math.min(top, other[3]),
  ]
}

function widthOf([left, , right]: Area): number {
  return right - left
}

function heightOf([, bottom, , top]: Area): number {
  return top - bottom
}
