import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import type { Db } from '#store/db.ts'
import { sharedTable } from './table.ts'

/** The shared table, for one request beside another: `meanwhile` runs once, before the first transaction. */
export async function tableMeanwhile(meanwhile: () => Promise<unknown>): Promise<Db> {
  const { client, table } = await sharedTable()
  let isOver = false
  const send = async (command: unknown, ...more: unknown[]) => {
    if (command instanceof TransactWriteCommand && !isOver) {
      isOver = true
      await meanwhile()
    }
    // biome-ignore lint/suspicious/noExplicitAny: the call is passed on
    return (client.send as any)(command, ...more)
  }
  return { client: { send }, table } as unknown as Db
}
