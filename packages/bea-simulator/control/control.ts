import * as z from 'zod'
import { Behaviour } from '../behaviour.ts'
import { findIdentity } from '../directory/identities.ts'
import { Fault } from '../faults/faults.ts'
import { addMessages, NewMessage } from '../messages/new-message.ts'
import type { StoredMessage } from '../network/network.ts'
import { openPostboxes, type Simulation } from '../simulation.ts'

/**
 * Commands for tests and developers that bypass the gateway: `POST /control` with one of these members. For a fault,
 * the body is the fault itself: `{"function": "bea_get_message", "fault": "half_json", "times": 1}`.
 */
const Command = z.union([
  Fault,
  z.strictObject({ clear_faults: z.literal(true) }),
  z.strictObject({ seed: NewMessage }),
  z.strictObject({ postbox: z.string() }),
  z.strictObject({ set: Behaviour.partial() }),
  z.strictObject({ advance_minutes: z.number().min(0).max(5_256_000) }),
  z.strictObject({ lock: z.string() }),
  z.strictObject({ unlock: z.string() }),
  z.strictObject({ end_sessions: z.literal(true) }),
  z.strictObject({ calls: z.literal(true) }),
  z.strictObject({ reset: z.literal(true) }),
])

export type Command = z.input<typeof Command>

/** A folder of a postbox with its messages before encryption. */
export type PlainFolder = { id: string; type: string; name: string; messages: StoredMessage[] }

export type Control = {
  /** Runs a command in the form that the endpoint accepts. @throws Error for a malformed command */
  run: (command: unknown) => Promise<object>
  /** Makes the next `times` calls of a function fail. */
  inject: (fault: z.input<typeof Fault>) => void
  clearFaults: () => void
  /** Puts messages into a postbox. @returns their ids */
  seed: (message: NewMessage) => Promise<string[]>
  postbox: (safeId: string) => PlainFolder[]
  /** The messages of a base folder, or of all custom ones. */
  messages: (safeId: string, folderType: string) => StoredMessage[]
  /** The bytes of an attachment. */
  attachment: (messageId: string, name: string) => Buffer | undefined
  set: (behaviour: Partial<Behaviour>) => void
  advanceMinutes: (minutes: number) => void
  lock: (safeId: string) => void
  unlock: (safeId: string) => void
  /** Ends all sessions, as the gateway might at any time. */
  endSessions: () => void
  /** How often each function was called since the last reset. */
  calls: () => Record<string, number>
  /**
   * Resets to the state after the first start: only seeded messages, no sessions, no faults, usual behaviour and
   * time.
   */
  reset: () => Promise<void>
  /** Counts a call. */
  note: (functionName: string) => void
}

export type ControlOptions = {
  simulation: Simulation
  /** The behaviour at the start. */
  initial: Behaviour
  /** Moves the clock of the simulation; 0 is the start. */
  setOffsetMinutes: (minutes: number) => void
  /** Puts the first messages into the empty postboxes. */
  fill: () => Promise<void>
}

export function openControl({ simulation, initial, setOffsetMinutes, fill }: ControlOptions): Control {
  const { network, random, sessions, compositions, faults, behaviour, locked, now } = simulation
  let calls: Record<string, number> = {}
  let offsetMinutes = 0

  const control: Omit<Control, 'run'> = {
    inject: (fault) => faults.inject(Fault.parse(fault)),
    clearFaults: faults.clear,
    seed: (message) => addMessages(network, random, NewMessage.parse(message), now()),
    postbox: (safeId) => {
      if (findIdentity(safeId) === undefined) throw new Error(`The directory has no ${safeId}.`)
      return network
        .folders(safeId)
        .map(({ id, type, name }) => ({ id, type, name, messages: network.messages(id) }))
    },
    messages: (safeId, folderType) =>
      control.postbox(safeId).flatMap(({ type, messages }) => (type === folderType ? messages : [])),
    attachment: (messageId, name) => network.attachments(messageId).find((it) => it.name === name)?.bytes,
    set: (wanted) => Object.assign(behaviour, Behaviour.partial().parse(wanted)),
    advanceMinutes: (minutes) => {
      offsetMinutes += minutes
      setOffsetMinutes(offsetMinutes)
    },
    lock: (safeId) => void locked.add(safeId),
    unlock: (safeId) => void locked.delete(safeId),
    endSessions: sessions.endAll,
    calls: () => ({ ...calls }),
    reset: async () => {
      sessions.endAll()
      compositions.clear()
      faults.clear()
      locked.clear()
      Object.assign(behaviour, initial)
      calls = {}
      offsetMinutes = 0
      setOffsetMinutes(0)
      network.clear()
      openPostboxes(network)
      await fill()
    },
    note: (functionName) => {
      calls[functionName] = (calls[functionName] ?? 0) + 1
    },
  }
  return { ...control, run: async (command) => run(control, Command.parse(command)) }
}

async function run(control: Omit<Control, 'run'>, command: z.output<typeof Command>): Promise<object> {
  if ('fault' in command) control.inject(command)
  else if ('clear_faults' in command) control.clearFaults()
  else if ('seed' in command) return { message_ids: await control.seed(command.seed) }
  else if ('postbox' in command) return { folders: control.postbox(command.postbox) }
  else if ('set' in command) control.set(definedOf(command.set))
  else if ('advance_minutes' in command) control.advanceMinutes(command.advance_minutes)
  else if ('lock' in command) control.lock(command.lock)
  else if ('unlock' in command) control.unlock(command.unlock)
  else if ('end_sessions' in command) control.endSessions()
  else if ('calls' in command) return { calls: control.calls() }
  else await control.reset()
  return {}
}

function definedOf(wanted: { [Name in keyof Behaviour]?: Behaviour[Name] | undefined }): Partial<Behaviour> {
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))
}
