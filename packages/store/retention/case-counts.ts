import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import type { CaseCounts } from '#retention/schema.ts'
import type { Db } from '../db.ts'
import { pagesOf } from '../pages-of.ts'

/** The lists of a firm that hold an entry for each record of a case, by what they count. */
const listsOf = (caseId: string) => ({
  documents: [`documents#is:case_id=${caseId}`],
  mails: [`correspondence#is:case_id=${caseId}`],
  deadlines: ['open', 'verified', 'completed'].map((state) => `due#${state} case=${caseId}`),
  envelopes: [`envelopes#case=${caseId}`],
  time_entries: [`time_entries#case=${caseId}`],
  invoices: [`invoices#case=${caseId}`],
})

/** Counts what a case holds. Nothing is read but the entries of lists. */
export function caseCounts(db: Db) {
  /** How many entries a partition has. */
  const countOf = async (pk: string, consistently: { ConsistentRead?: true }): Promise<number> => {
    const query = {
      TableName: db.table,
      Select: 'COUNT',
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      ...consistently,
    } as const
    let count = 0
    for await (const page of pagesOf((start) => db.client.send(new QueryCommand({ ...query, ...start }))))
      count += page.Count ?? 0
    return count
  }

  return async (
    workspaceId: string,
    caseId: string,
    consistently: { ConsistentRead?: true } = {},
  ): Promise<CaseCounts> => {
    const counted = await Promise.all(
      Object.entries(listsOf(caseId)).map(async ([name, partitions]) => {
        const counts = await Promise.all(
          partitions.map((list) => countOf(`${workspaceId}#${list}`, consistently)),
        )
        return [name, counts.reduce((sum, one) => sum + one, 0)] as const
      }),
    )
    return Object.fromEntries(counted) as Record<keyof ReturnType<typeof listsOf>, number>
  }
}
