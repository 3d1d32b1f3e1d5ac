import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import type { CaseCounts } from '#retention/schema.ts'
import type { Db } from '../db.ts'
import { pagesOf } from '../pages-of.ts'
import { caseLists } from './case-lists.ts'

/** The lists that are counted. */
const counted = {
  documents: caseLists.document,
  mails: caseLists.correspondence,
  deadlines: caseLists.deadline,
  envelopes: caseLists.envelope,
  time_entries: caseLists.timeentry,
  invoices: caseLists.invoice,
} satisfies Record<keyof CaseCounts, string[]>

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
    const counts = await Promise.all(
      Object.entries(counted).map(async ([name, lists]) => {
        const ofLists = await Promise.all(
          lists.map((list) => countOf(`${workspaceId}#${list}${caseId}`, consistently)),
        )
        return [name, ofLists.reduce((sum, one) => sum + one, 0)] as const
      }),
    )
    return Object.fromEntries(counts) as CaseCounts
  }
}
