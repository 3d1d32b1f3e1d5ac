import { globSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { errorTexts } from '#http/openapi/error-texts.ts'
import { inRepository } from '#infra/in-repository.ts'

/** The messages of the service when it refuses: the texts of failures and of their details, as they are written. */
const root = inRepository('.')
const files = globSync('{packages,functions}/**/*.ts', { cwd: root, exclude: ['packages/client/**'] }).concat(
  'infra/gateway-answers.ts',
)

type Message = { text: string; place: string }

/** The position of the message among the arguments of a call. */
const argumentOf: Record<string, number> = {
  Failure: 2,
  conflict: 1,
  super: 2,
  invalid: 0,
  invalidRange: 1,
  refuse: 1,
  refusedAs: 2,
  unavailable: 0,
  urlNotAllowed: 0,
}
/** Checks of schemas, which take the message last. */
const checks = new Set(['refine', 'regex', 'min', 'max', 'gte', 'lte'])

function messagesOf(file: string): Message[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(inRepository(file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  )
  const constants = new Map<string, ts.Expression>()
  const found: Message[] = []

  const add = (expression: ts.Expression | undefined): void => {
    if (expression === undefined) return
    if (ts.isIdentifier(expression)) add(constants.get(expression.text))
    if (ts.isConditionalExpression(expression))
      for (const one of [expression.whenTrue, expression.whenFalse]) add(one)
    const text = textOf(expression)
    const { line } = source.getLineAndCharacterOfPosition(expression.getStart())
    if (text !== undefined) found.push({ text, place: `${relative(root, file) || file}:${line + 1}` })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
      constants.set(node.name.text, node.initializer)
    if (ts.isNewExpression(node) || ts.isCallExpression(node)) {
      const { expression, arguments: given = [] } = node
      const at = argumentOf[expression.getText()]
      if (at !== undefined) add(given[at])
      if (ts.isPropertyAccessExpression(expression) && checks.has(expression.name.text) && given.length > 1)
        add(given.at(-1))
    }
    if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name) && node.name.text === 'message')
      add(node.initializer)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** The text of a literal, with `…` for what is put into it; undefined for anything else. */
function textOf(expression: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(expression)) return expression.text
  if (ts.isTemplateExpression(expression))
    return expression.head.text + expression.templateSpans.map(({ literal }) => `…${literal.text}`).join('')
  if (!ts.isBinaryExpression(expression)) return undefined
  const [left, right] = [textOf(expression.left), textOf(expression.right)]
  return left === undefined && right === undefined ? undefined : `${left ?? '…'}${right ?? '…'}`
}

/** Codes that give the reason why a document cannot be read (D8). */
const codes = ['password_protected', '…corrupt']
const messages = files.flatMap(messagesOf).filter(({ text }) => !codes.includes(text))
const breaking = (rule: (text: string) => boolean) =>
  messages.filter(({ text }) => !rule(text)).map(({ text, place }) => `${place} ${text}`)

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

describe('every message to a caller', () => {
  it('is found where it is written', () => {
    expect(messages.length).toBeGreaterThan(300)
    expect(messages.map(({ text }) => text)).toEqual(
      expect.arrayContaining([
        'Send a valid API key as `Authorization: Bearer <key>`.',
        'This is not an id.',
        'An empty file cannot be stored.',
      ]),
    )
  })

  it('is one sentence or several, each with its full stop', () => {
    expect(breaking((text) => /^[A-Z`“„…]/.test(text) && /[.?…]$/.test(text) && text.includes(' '))).toEqual(
      [],
    )
  })

  it('names fields and values of the interface in code quotes', () => {
    const plain = (text: string) => text.replaceAll(/`[^`]*`|https?:\S+|\/api\/v1\S*/g, '')

    expect(breaking((text) => !/\b[a-z]+(?:_[a-z]+)+\b/.test(plain(text)))).toEqual([])
  })

  it('is the example of its code in the document', () => {
    const patterns = messages
      .filter(({ text, place }) => !place.includes('http/openapi/') && /[A-Za-z]{3}/.test(text))
      .map(({ text }) => new RegExp(`^${text.split('…').map(escaped).join('.+')}$`))

    const invented = Object.values(errorTexts).filter((text) => !patterns.some((one) => one.test(text)))

    expect(invented).toEqual([])
  })

  it('neither begs nor shouts', () => {
    expect(breaking((text) => !/\bplease\b|\bsorry\b|\boops\b|!/i.test(text))).toEqual([])
  })
})
