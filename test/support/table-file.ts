import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { localVariables } from '#infra/local-variables.ts'
import type { StoredItem } from '#store/pages-of.ts'
import { isOfFirm } from '#store/workspace/firm-items.ts'
import { sharedService } from './the-shared-service.ts'

/**
 * Reads the table of a service from the file of its database. A scan of a table with the firms of hundreds of tests
 * takes the database seconds, in which it answers nobody else.
 */
function rowsIn(dataDir: string, condition: string, ...values: string[]): Row[] {
  const database = new DatabaseSync(join(dataDir, 'dynamodb.sqlite'), { readOnly: true, timeout: 10_000 })
  try {
    const sql = `SELECT substr(pk, 3) AS pk, substr(sk, 3) AS sk, item_json AS item FROM "${localVariables.TABLE_NAME}" WHERE ${condition}`
    return database.prepare(sql).all(...values) as Row[]
  } finally {
    database.close()
  }
}

/** An item as it lies in the file: its keys, and all of its attributes. */
export type Row = { pk: string; sk: string; item: string }

/** Every item in the table of the shared service, by its keys. */
export function everyRow(): Row[] {
  return rowsIn(sharedService().dataDir, 'true ORDER BY pk, sk')
}

/** Every item of a firm as it lies in the table of a service, by default of the shared one. */
export function rowsOf(workspaceId: string, dataDir: string = sharedService().dataDir): Row[] {
  return [
    // `$` follows `#`, and '`' follows `_`.
    ...rowsIn(dataDir, 'pk >= ? AND pk < ?', `S:${workspaceId}#`, `S:${workspaceId}$`),
    ...rowsIn(dataDir, "(pk < 'S:ws_' OR pk >= 'S:ws`') AND instr(item_json, ?)", workspaceId).filter((row) =>
      isOfFirm(workspaceId, itemIn(row)),
    ),
  ]
}

/** Every item of a firm in the table of a service, by default of the shared one. */
export function itemsOf(workspaceId: string, dataDir?: string): StoredItem[] {
  return rowsOf(workspaceId, dataDir).map(itemIn)
}

export function itemIn({ item }: Row): StoredItem {
  return membersOf(JSON.parse(item)) as StoredItem
}

type Attribute = Record<string, unknown>

const membersOf = (members: Record<string, Attribute>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).map(([name, one]) => [name, valueIn(one)]))

/** The value of an attribute in the form in which DynamoDB sends it. */
function valueIn(attribute: Attribute): unknown {
  const [[type, value] = []] = Object.entries(attribute)
  if (type === 'N') return Number(value)
  if (type === 'B') return Buffer.from(String(value), 'base64')
  if (type === 'NULL') return null
  if (type === 'L') return (value as Attribute[]).map(valueIn)
  if (type === 'M') return membersOf(value as Record<string, Attribute>)
  if (type === 'S' || type === 'BOOL') return value
  throw new Error(`No item of the service has a value of the type ${type}.`)
}
