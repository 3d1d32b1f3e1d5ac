import { describe, expect, test } from 'vitest'
import { xmlBudget } from '#sync/xml-budget.ts'

describe('XML of a calendar server', () => {
  test.each([
    ['20 001 elements', `<a>${'<b/>'.repeat(20_000)}</a>`, 'too many pieces'],
    ['20 000 references', `<a>${'&amp;'.repeat(20_000)}</a>`, 'too many pieces'],
    [
      '301 names',
      `<a>${Array.from({ length: 300 }, (_, at) => `<b${at}/>`).join('')}</a>`,
      'different names',
    ],
    ['51 levels', '<a>'.repeat(51) + '</a>'.repeat(51), 'nested too deeply'],
    ['more than a million characters', `<a>${'x'.repeat(1_000_000)}</a>`, 'too long'],
    ['a document type', '<!DOCTYPE a><a/>', 'document type'],
    ['an open element', '<a>', 'not well-formed'],
  ])('with %s is refused', async (_, xml, reason) => {
    await expect(xmlBudget()(xml)).rejects.toThrow(reason)
  })

  test('just below the limits of one answer is accepted, until all answers together exceed their own limit', async () => {
    const check = xmlBudget()
    const answer = `<a>${'<b/>'.repeat(19_990)}</a>`
    for (let answers = 0; answers < 3; answers += 1) await check(answer)

    await expect(check(answer)).rejects.toThrow('too many pieces')
  })
})
