import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { inRepository } from '#infra/in-repository.ts'
import { allEventTypes } from '#webhooks/catalogue-schema.ts'

/** The tests that use the whole service over HTTP. */
const tests = globSync('test/{service,local}/*.test.ts', { cwd: inRepository('.') }).map((file) =>
  readFileSync(inRepository(file), 'utf8'),
)

it.each(allEventTypes)('%s is produced in a test of the whole service', (type) => {
  const named = new RegExp(`\\b${type.replace('.', '\\.')}\\b(?!\\.)`)

  expect(tests.some((text) => named.test(text))).toBe(true)
})
