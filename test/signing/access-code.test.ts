import { expect, it } from 'vitest'
import { hashAccessCode, isAccessCode } from '#signing/signer/access-code.ts'

it('a code matches its hash, also with spaces around it and with umlauts as two characters', async () => {
  const hash = await hashAccessCode('Müller-4711')

  const answers = await Promise.all(
    ['Müller-4711', ' Müller-4711\n', 'Mu\u0308ller-4711', 'müller-4711', 'Müller-471', ''].map((code) =>
      isAccessCode(code, hash),
    ),
  )

  expect(answers).toEqual([true, true, true, false, false, false])
})

it('two hashes of the same code differ, and neither contains the code', async () => {
  const [one, other] = await Promise.all([hashAccessCode('4711-Meier'), hashAccessCode('4711-Meier')])

  expect(one).not.toBe(other)
  expect(one).toMatch(/^scrypt\$16384\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
  expect(`${one}${other}`).not.toContain('Meier')
})
