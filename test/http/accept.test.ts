import { expect, test } from 'vitest'
import { preferredType } from '#http/accept.ts'

const types = ['application/json', 'text/csv', 'text/html']

test.each([
  [undefined, 'application/json'],
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['text/csv', 'text/csv'],
  ['Text/HTML; charset=utf-8', 'text/html'],
  ['text/*', 'text/csv'],
  ['text/csv;q=0.4, text/html;q=0.6, */*;q=0.1', 'text/html'],
  ['text/*;q=0.9, text/csv;q=0.1', 'text/html'],
  ['*/*, application/json;q=0', 'text/csv'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
  ['image/png', undefined],
  ['text/html;q=0', undefined],
  ['text/html;q=5, text/csv;q=-1', undefined],
  ['quatsch', undefined],
])('for %j the preferred type is %j', (accept, expected) => {
  expect(preferredType(accept, types)).toBe(expected)
})
