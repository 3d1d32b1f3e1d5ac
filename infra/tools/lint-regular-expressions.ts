import { globSync, readFileSync } from 'node:fs'
import { checkSync } from 'recheck'
import { analyse } from 'scslre'
import ts from 'typescript'
import { inRepository } from '../in-repository.ts'

/** A regular expression in the source. */
type Expression = { source: string; flags: string; line: number }

/**
 * The slow regular expressions of a source file, one sentence each: an expression is slow if the time for some text
 * grows faster than its length. Any text may come from outside, so there are no exceptions.
 *
 * It reads literals, and `new RegExp` with texts and constants of the same file. An unknown inserted text counts as
 * `word`, and an unknown number as 9. An expression without any known part is a fault itself.
 */
export function slowExpressions(file: string, text: string): string[] {
  const { found, unreadable } = expressionsOf(file, text)
  return [
    ...unreadable.map(
      (line) => `${file}:${line} makes an expression from a value that is not a constant of its file.`,
    ),
    ...found.flatMap((expression) =>
      whySlow(expression).map((why) => `${file}:${expression.line} ${why}: ${shown(expression)}`),
    ),
  ]
}

/** The check runs in this process, so that its result is the same on every system. */
Object.assign(process.env, { RECHECK_SYNC_BACKEND: 'pure' })

/** The time limit for checking one expression for ambiguity; usual ones take a tenth of it. */
const maxMilliseconds = 1_000

function whySlow({ source, flags }: Expression): string[] {
  const { reports } = analyse({ source, flags }, { reportTypes: { Move: true, Self: true, Trade: true } })
  const kinds: string[] = reports.map(({ exponential, type }) => {
    if (exponential) return 'takes exponential time'
    return type === 'Move'
      ? 'reads the same characters again from each position'
      : 'can split a run in many ways'
  })
  // `analyse` finds adjacent repetitions, also across groups. This check finds overlapping alternatives.
  if (/\)(?:[*+]|\{\d+,\})/.test(source)) {
    const { status } = checkSync(source, flags, { checker: 'automaton', timeout: maxMilliseconds })
    if (status === 'vulnerable') kinds.push('can match a text in several ways')
  }
  return [...new Set(kinds)]
}

function shown({ source, flags }: Expression): string {
  return `/${source.slice(0, 200)}/${flags}`
}

function expressionsOf(file: string, text: string): { found: Expression[]; unreadable: number[] } {
  const parsed = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const constants = constantsOf(parsed)
  const found: Expression[] = []
  const unreadable: number[] = []
  const visit = (node: ts.Node): void => {
    const line = parsed.getLineAndCharacterOfPosition(node.getStart(parsed)).line + 1
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      found.push({ source: node.text.slice(1, end), flags: node.text.slice(end + 1), line })
    } else if (isRegExpCall(node)) {
      const [source, flags] = (node.arguments ?? []).map((argument) => textOf(argument, constants))
      if (source === undefined) unreadable.push(line)
      else found.push({ source, flags: flags ?? '', line })
    }
    ts.forEachChild(node, visit)
  }
  visit(parsed)
  return { found, unreadable }
}

function isRegExpCall(node: ts.Node): node is ts.NewExpression | ts.CallExpression {
  if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return false
  return ts.isIdentifier(node.expression) && node.expression.text === 'RegExp'
}

/** The constants of a file by name, in functions too. */
function constantsOf(file: ts.SourceFile): Map<string, ts.Expression> {
  const constants = new Map<string, ts.Expression>()
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer !== undefined)
      constants.set(node.name.text, node.initializer)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return constants
}

/** The value of a text expression; undefined if it is not known. */
function textOf(node: ts.Expression, constants: Map<string, ts.Expression>, depth = 0): string | undefined {
  if (depth > 10) return undefined
  const below = (inner: ts.Expression) => textOf(inner, constants, depth + 1)
  if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) return node.text
  if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'String.raw')
    return ts.isNoSubstitutionTemplateLiteral(node.template) ? node.template.rawText : undefined
  if (ts.isPropertyAccessExpression(node) && node.name.text === 'source') return below(node.expression)
  if (ts.isRegularExpressionLiteral(node)) return node.text.slice(1, node.text.lastIndexOf('/'))
  if (ts.isIdentifier(node)) {
    const constant = constants.get(node.text)
    return constant === undefined ? undefined : below(constant)
  }
  // Of a conditional, the longer text is checked.
  if (ts.isConditionalExpression(node)) {
    const choices = [below(node.whenTrue), below(node.whenFalse)]
    return choices.includes(undefined) ? undefined : choices.toSorted(longerFirst)[0]
  }
  if (!ts.isTemplateExpression(node)) return undefined
  const parts = node.templateSpans.map(({ expression, literal }) => {
    const isCount = /\{(?:\d+,)?$/.test(textBefore(node, literal))
    return (below(expression) ?? (isCount ? '9' : 'word')) + literal.text
  })
  return node.head.text + parts.join('')
}

/** The text before the placeholder of a template that ends with this literal. */
function textBefore(
  { head, templateSpans }: ts.TemplateExpression,
  literal: ts.TemplateSpan['literal'],
): string {
  const at = templateSpans.findIndex((span) => span.literal === literal)
  return at === 0 ? head.text : (templateSpans[at - 1]?.literal.text ?? '')
}

function longerFirst(one = '', other = ''): number {
  return other.length - one.length
}

if (import.meta.main) {
  const files = globSync('{packages,functions,infra}/**/*.ts', { cwd: inRepository('.') })
  const faults = files.flatMap((file) => slowExpressions(file, readFileSync(inRepository(file), 'utf8')))
  for (const fault of faults) console.error(fault)
  if (faults.length > 0)
    console.error('\nBound or anchor the repetitions, so that no two of them can match the same text.')
  process.exitCode = faults.length > 0 ? 1 : 0
}
