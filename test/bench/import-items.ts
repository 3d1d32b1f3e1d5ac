import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { table } from '#store/table.ts'
import type { Item } from './seed.ts'

/**
 * Makes a table file for the local database from many items: it writes them in the format of DynamoDB's exports, and
 * dynoxide imports them. For a million items this takes half a minute, BatchWrite takes minutes.
 *
 * @param fill gets a function that takes items; its result is returned
 * @param folder an existing folder for the export
 * @throws Error with the output of the database if the import fails
 */
export async function importItems<Result>(
  tableFile: string,
  tableName: string,
  folder: string,
  fill: (write: (items: Iterable<Item>) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const source = join(folder, 'export')
  const data = join(source, tableName, 'data')
  mkdirSync(data, { recursive: true })
  const schema = join(folder, 'schema.json')
  writeFileSync(schema, JSON.stringify({ Table: description(tableName) }))

  const file = createWriteStream(join(data, 'items.json'))
  const result = await fill(async (items) => {
    let lines = ''
    for (const item of items) lines += `${JSON.stringify({ Item: attributeValues(item) })}\n`
    if (!file.write(lines)) await once(file, 'drain')
  })
  file.end()
  await once(file, 'close')

  const database = spawn(
    binary(),
    ['import', '--source', source, '--schema', schema, '--output', tableFile],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  const [said, [exitCode]] = await Promise.all([text(database.stderr), once(database, 'close')])
  if (exitCode !== 0) throw new Error(`The items could not be imported: ${said}`)
  return result
}

function attributeValues(fields: Item): Record<string, AttributeValue> {
  const values: Record<string, AttributeValue> = {}
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) values[name] = attributeValue(value)
  return values
}

function attributeValue(value: unknown): AttributeValue {
  if (typeof value === 'string') return { S: value }
  if (typeof value === 'number') return { N: String(value) }
  if (typeof value === 'boolean') return { BOOL: value }
  if (value === null) return { NULL: true }
  if (Array.isArray(value)) return { L: value.map(attributeValue) }
  return { M: attributeValues(value as Item) }
}

function description(tableName: string) {
  const { partitionKey, sortKey } = table
  return {
    TableName: tableName,
    BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
    KeySchema: [
      { AttributeName: partitionKey, KeyType: 'HASH' },
      { AttributeName: sortKey, KeyType: 'RANGE' },
    ],
    AttributeDefinitions: [
      { AttributeName: partitionKey, AttributeType: 'S' },
      { AttributeName: sortKey, AttributeType: 'S' },
    ],
  }
}

/** The binary that `infra/local/database.ts` starts: from the optional dependency, or from the PATH. */
function binary(): string {
  try {
    const manifest = createRequire(import.meta.url).resolve(
      `@dynoxide/${process.platform}-${process.arch}/package.json`,
    )
    const file = join(dirname(manifest), 'dynoxide')
    return existsSync(file) ? file : 'dynoxide'
  } catch {
    return 'dynoxide'
  }
}
