import { expect, it } from 'vitest'
import { accessMailSections } from '#foundation/access-mail-sections.ts'
import { foundation } from '#foundation/foundation.ts'
import type { AccessSubject } from '#parties/access-ports.ts'
import { interceptStoreCalls } from '#test/bench/store-calls.ts'
import { arrived } from '#test/support/arriving-mail.ts'
import { newFirm } from '#test/support/firm.ts'
import { sharedTable } from '#test/support/table.ts'

const storeCalls = interceptStoreCalls()

it('a report looks through all mail of the firm once, though it reads its records twice', async () => {
  await sharedTable()
  const firm = await newFirm()
  const email = 'vera@zwmailbox.example'
  const own = await arrived(firm, { from: `Vera <${email}>` })
  for (let count = 0; count < 3; count += 1) await arrived(firm, { from: 'andere@fremd.example' })
  const [section] = accessMailSections(foundation('test'))
  const subject = {
    party: { workspace_id: firm.workspace.id, id: 'pty', email },
    clientOf: new Set(),
  } as unknown as AccessSubject
  const pathsOf = async () => {
    const paths: string[] = []
    for await (const { path } of section?.records(subject) ?? []) paths.push(path)
    return paths
  }

  const first = await storeCalls.record(pathsOf)
  const second = await storeCalls.record(pathsOf)

  expect([first.result, second.result]).toEqual(Array(2).fill([`correspondence/${own.id}`]))
  const isList = ({ input }: { input: object }) => 'KeyConditionExpression' in input
  expect([first.calls.some(isList), second.calls.some(isList)]).toEqual([true, false])
})
