import { setTimeout as sleep } from 'node:timers/promises'
import { AktenlageError, type Client } from '#client/client.ts'

/** A record may still be changed or referenced by its own follow-up jobs. It can be deleted moments later. */
const attempts = 10

/**
 * Deletes all records that contain this word. It finds them by search, so it also deletes records whose answer was lost.
 *
 * @returns undefined if nothing is left
 * @throws Error that names what is left, after everything else was deleted
 */
export async function cleanUp(client: Client, mark: string): Promise<undefined> {
  const left: string[] = []
  const each = async <Item>(
    what: string,
    find: () => Promise<Item[]>,
    remove: (item: Item) => Promise<unknown>,
  ): Promise<void> => {
    try {
      for (const item of await find()) await untilDone(() => remove(item))
    } catch (error) {
      left.push(`${what} (${error instanceof Error ? error.message : error})`)
    }
  }
  const bearing = async <Item>(
    items: AsyncIterable<Item>,
    textOf: (item: Item) => string,
  ): Promise<Item[]> => {
    const found: Item[] = []
    for await (const item of items) if (textOf(item).includes(mark)) found.push(item)
    return found
  }
  const search = { query: { search: mark } }
  const named = ({ name }: { name: string }) => name

  const cases = await bearing(client.listCases.all(search), named).catch((error: unknown) => {
    left.push(`the case (${error instanceof Error ? error.message : error})`)
    return []
  })
  const drafts = () => bearing(client.listDrafts.all(), ({ subject }) => subject)
  await each('a draft', drafts, ({ id }) => client.deleteDraft({ params: { id } }))
  const configs = () => bearing(client.listExportConfigs.all(), named)
  await each('an export', configs, ({ id }) => client.deleteExportConfig({ params: { id } }))
  const documents = () => bearing(client.listDocuments.all(search), ({ filename }) => filename)
  await each('a document', documents, ({ id }) => client.deleteDocument({ params: { id } }))
  for (const { id: case_id } of cases) {
    const ofCase = { query: { case_id, from: '1900-01-01' } }
    const events = () =>
      bearing(client.listEvents.all(ofCase), ({ type, title }) => (type === 'deadline' ? '' : title))
    await each('an event', events, ({ id }) => client.deleteEvent({ params: { id } }))
    const deadlines = () => bearing(client.listDeadlines.all(ofCase), ({ title }) => title)
    const reason = 'Smoke test'
    await each('a deadline', deadlines, ({ id }) =>
      client.strikeDeadline({ params: { id }, body: { reason } }),
    )
    await each(
      'the case',
      async () => [case_id],
      (id) => client.deleteCase({ params: { id } }),
    )
  }
  const parties = () => bearing(client.listParties.all(search), named)
  await each('a party', parties, ({ id }) => client.deleteParty({ params: { id } }))
  if (left.length > 0)
    throw new Error(`These records with the mark ${mark} could not be deleted: ${left.join('; ')}`)
}

/** A record that is already gone counts as deleted. */
async function untilDone(remove: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await remove()
      return
    } catch (error) {
      if (!(error instanceof AktenlageError)) throw error
      if (error.status === 404) return
      if (error.status !== 409 || attempt === attempts) throw error
      await sleep(1_000)
    }
  }
}
