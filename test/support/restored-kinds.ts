import { readFileSync } from 'node:fs'
import { inRepository } from '#infra/in-repository.ts'

/** The kinds of items that step 4 of "Restore to a second" in infra/README.md copies to the restored table. */
export function restoredKinds(): string[] {
  return kindsOf(/ --kinds \\\n +(\S+)\n/)
}

/** The kinds of lost records that this step copies after them. */
export function kindsDoneOnce(): string[] {
  return kindsOf(/ --only-missing \\\n +--kinds (\S+)\n/)
}

function kindsOf(command: RegExp): string[] {
  const readme = readFileSync(inRepository('infra/README.md'), 'utf8')
  const [, step = ''] = /\n4\. \*\*Copy the items([\s\S]+?)\n5\. /.exec(readme) ?? []
  return command.exec(step)?.[1]?.split(',') ?? []
}
