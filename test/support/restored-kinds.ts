import { readFileSync } from 'node:fs'
import { inRepository } from '#infra/in-repository.ts'

/** The kinds of items that step 4 of "Restore to a second" in infra/README.md copies to the restored table. */
export function restoredKinds(): string[] {
  const readme = readFileSync(inRepository('infra/README.md'), 'utf8')
  const [, kinds = ''] = /\n4\. \*\*Copy the items[\s\S]+? --kinds \\\n +(\S+)\n/.exec(readme) ?? []
  return kinds.split(',')
}
