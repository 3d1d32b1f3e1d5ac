import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { attempted } from '#kernel/attempted.ts'

/** The data of the local SES about a message, without its bytes. */
export type MailEnvelope = {
  /** The id that the sender received. */
  message_id: string
  /** When the message was accepted, UTC with milliseconds. */
  accepted_at: string
  source: string
  /** All recipients, including recipients that no header names. */
  destinations: string[]
  /** Without a configuration set SES emits no events. */
  configuration_set: string | null
  tags: Record<string, string>
  /** The header as it was sent, unfolded; the first 10 KB of it. */
  headers: { name: string; value: string }[]
  headers_truncated: boolean
  /** The decoded header. */
  subject: string
  from: string[]
  to: string[]
  cc: string[]
  date: string | null
  header_message_id: string | null
}

/** The folder `mail` below the data folder: `<time>-<id>.eml`, and `<time>-<id>.json` with the envelope. */
type MailFolder = {
  /** Stores a message. Both files are durable once this resolves. @returns its name: `<time>-<id>` */
  add: (envelope: MailEnvelope, raw: Uint8Array) => Promise<string>
  /** Names of messages, newest first. */
  names: () => Promise<string[]>
  /** The message as it was sent; undefined if there is none with this name. */
  read: (name: string) => Promise<Buffer | undefined>
  /** Its envelope; undefined if it is missing or damaged. */
  envelope: (name: string) => Promise<MailEnvelope | undefined>
  /** Removes the messages that were sent for a mail of a firm. */
  removeOf: (mail: { workspace: string; correspondence: string }) => Promise<void>
  /** Removes unfinished files of a killed run. Call it while nobody adds messages. */
  removeUnfinished: () => Promise<void>
}

/**
 * A message exists as soon as its `.eml` file has its name. The envelope is written first, so that every message has
 * one, however the process ends.
 */
export function mailFolder(path: string): MailFolder {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const file = (name: string, type: 'eml' | 'json') => join(path, `${name}.${type}`)
  const readIfThere = async (name: string, type: 'eml' | 'json'): Promise<Buffer | undefined> => {
    if (!isMailName(name)) return undefined
    try {
      return await readFile(file(name, type))
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
      throw error
    }
  }

  /** The tags of the messages that were looked at: they never change. */
  const mailOf = new Map<string, Record<string, string>>()

  const folder: MailFolder = {
    add: async (envelope, raw) => {
      const name = `${envelope.accepted_at.replaceAll(/[-:.]/g, '')}-${envelope.message_id}`
      if (!isMailName(name)) throw new Error(`A message cannot be named ${name}.`)
      const unfinished = (['json', 'eml'] as const).map((type) => ({
        type,
        path: join(path, `.${type}-${randomUUID()}`),
      }))
      try {
        const durably = { flag: 'wx', mode: 0o600, flush: true }
        await Promise.all(
          unfinished.map((part) =>
            writeFile(part.path, part.type === 'eml' ? raw : jsonOf(envelope), durably),
          ),
        )
        for (const part of unfinished) await rename(part.path, file(name, part.type))
        await syncFolder(path)
      } catch (error) {
        await Promise.all(unfinished.map((part) => rm(part.path, { force: true })))
        throw error
      }
      return name
    },
    names: async () => {
      const entries = await readdir(path)
      const names = entries.filter((entry) => entry.endsWith('.eml')).map((entry) => entry.slice(0, -4))
      return names.filter(isMailName).toSorted().toReversed()
    },
    read: (name) => readIfThere(name, 'eml'),
    envelope: async (name) => {
      const text = await readIfThere(name, 'json')
      return attempted(() =>
        text === undefined ? undefined : (JSON.parse(text.toString('utf8')) as MailEnvelope),
      )
    },
    removeOf: async ({ workspace, correspondence }) => {
      for (const name of await folder.names()) {
        const tags = mailOf.get(name) ?? (await folder.envelope(name))?.tags
        if (tags === undefined) continue
        mailOf.set(name, tags)
        if (tags.workspace !== workspace || tags.correspondence !== correspondence) continue
        // In this order a message always has an envelope, however the process ends.
        for (const type of ['eml', 'json'] as const) await rm(file(name, type), { force: true })
        mailOf.delete(name)
      }
    },
    removeUnfinished: async () => {
      const entries = new Set(await readdir(path))
      const isUnfinished = (entry: string) =>
        /^\.(?:json|eml)-[0-9a-f-]{36}$/.test(entry) ||
        (entry.endsWith('.json') &&
          isMailName(entry.slice(0, -5)) &&
          !entries.has(entry.replace(/json$/, 'eml')))
      for (const entry of entries) if (isUnfinished(entry)) await rm(join(path, entry), { force: true })
    },
  }
  return folder
}

/** When the message of this name was accepted. */
export function acceptedAt(name: string): Date {
  return new Date(name.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z.*$/, '$1-$2-$3T$4:$5:$6.$7Z'))
}

/** Whether this can be the name of a message: `20260504T120000123Z-<id of SES>`. */
export function isMailName(text: string): boolean {
  return /^\d{8}T\d{9}Z-[0-9a-f]{16}-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-\d{6}$/.test(text)
}

function jsonOf(envelope: MailEnvelope): string {
  return `${JSON.stringify(envelope, null, 2)}\n`
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
