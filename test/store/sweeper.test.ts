import { globSync, readFileSync } from 'node:fs'
import { expect, inject, it } from 'vitest'

it('the sweeper can do every kind of job that is declared', async () => {
  Object.assign(process.env, inject('environment'))
  const declared = globSync('packages/**/*.ts').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/define(?:FollowUp|HandOver)\(\{\s*name: '([^']+)'/g)].map(
      (match) => match[1],
    ),
  )

  const { jobNames } = await import('#functions/sweeper/index.ts')

  expect(declared.length).toBeGreaterThan(3)
  expect(jobNames.toSorted()).toEqual(declared.toSorted())
})
