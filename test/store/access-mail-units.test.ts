import { expect, it } from 'vitest'
import { accessMailSections } from '#foundation/access-mail-sections.ts'
import { foundation } from '#foundation/foundation.ts'
import type { AccessSubject } from '#parties/access-ports.ts'
import { interceptStoreCalls, type StoreCall } from '#test/bench/store-calls.ts'
import { arrived } from '#test/support/arriving-mail.ts'
import { newFirm } from '#test/support/firm.ts'
import { sharedTable } from '#test/support/table.ts'

const storeCalls = interceptStoreCalls()

it('a report looks at the participants of all mail of the firm, and reads only the mail of the party', async () => {
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

  const { result, calls } = await storeCalls.record(async () => {
    const paths: string[] = []
    for await (const { path } of section?.records(subject) ?? []) paths.push(path)
    return paths
  })

  expect(result).toEqual([`correspondence/${own.id}`])
  expect(calls.flatMap(mailsReadWhole)).toEqual([own.id])
})

/** The ids of the mails that a call reads with all their fields. */
function mailsReadWhole({ output }: StoreCall): unknown[] {
  const { Items = [], Responses = {} } = output as { Items?: Item[]; Responses?: Record<string, Item[]> }
  const items = [...Items, ...Object.values(Responses).flat()]
  return items.filter((item) => item.received_at !== undefined && item.to !== undefined).map(({ id }) => id)
}

type Item = Record<string, unknown>
